// SPDX-License-Identifier: Apache-2.0
#include "domA/state/fields_reader.h"
#include "domA/state/fields_writer.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <optional>
#include <set>

using namespace pegasus;
using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

enum class Colour { red, green };

struct Part {
  DomainId id = 0;
  Nanos balance{0};
  bool operator==(Part const&) const = default;
  void visit(StateVisitor& state) {
    state.field("id", id);
    state.field("balance", balance);
  }
};

struct Whole {
  bool flag = false;
  std::uint32_t count = 7;
  double factor = 1;
  Nanos time{0};
  Time now = Time::max();
  std::optional<Time> at{};
  Colour colour = Colour::red;
  Part part{};
  std::vector<Part> parts{};
  std::set<DomainId> ids{};
  std::map<DomainId, Part> by_id{};
  std::array<std::uint32_t, 3> three{};
  std::optional<std::uint32_t> running{};
  bool operator==(Whole const&) const = default;

  void visit(StateVisitor& state) {
    state.field("flag", flag);
    state.field("count", count);
    state.field("factor", factor);
    state.duration("time", time);
    state.time_or("now", now, Time::max());
    state.field("at", at);
    state.choice("colour", colour, Colour::green);
    state.field("part", part);
    state.accounts("parts", parts);
    state.field("ids", ids);
    state.field("by_id", by_id);
    state.field("three", three);
    state.position("running", running, parts.size());
  }
};

state::Fields saved(Whole whole) {
  state::Fields fields;
  state::FieldsWriter writer(fields);
  whole.visit(writer);
  return fields;
}

struct Restored {
  Whole whole;
  std::string refused;
};
Restored restored(state::Fields const& fields,
                  std::optional<std::span<DomainId const>> domains = std::nullopt) {
  Restored result;
  state::FieldsReader reader(fields, "whole", result.refused, domains);
  result.whole.visit(reader);
  return result;
}

Whole example() {
  return {.flag = true,
          .count = 3,
          .factor = 0.1,
          .time = 5ms,
          .now = Time{1s},
          .at = Time{2s},
          .colour = Colour::green,
          .part = {4, -3ns},
          .parts = {{1, 1ns}, {5, -2ns}},
          .ids = {2, 9},
          .by_id = {{3, {3, 7ns}}},
          .three = {1, 2, 3},
          .running = 1};
}

state::Field& field(state::Fields& fields, std::string_view name) {
  for (state::Field& each : *fields.mutable_field())
    if (each.name() == name) return each;
  throw std::logic_error("no such field");
}

} // namespace

TEST_CASE("fields of all kinds are read back as they were") {
  for (Whole const& whole : {Whole{}, example()}) {
    Restored const back = restored(saved(whole));
    CHECK(back.refused.empty());
    CHECK(back.whole == whole);
  }
}

TEST_CASE("what a saved state lacks keeps its value, and what nobody asks for is passed over") {
  state::Fields fields = saved(example());
  field(fields, "count").set_name("of another build");
  fields.mutable_field()->SwapElements(0, 5);
  Restored const back = restored(fields);
  CHECK(back.refused.empty());
  Whole expected = example();
  expected.count = 7;
  CHECK(back.whole == expected);
  CHECK(restored({}).whole == Whole{});
}

TEST_CASE("a value that no field of its kind has refuses the state, and the field keeps its value") {
  auto const refused = [](char const* name, auto change) {
    state::Fields fields = saved(example());
    change(field(fields, name));
    return restored(fields).refused;
  };
  CHECK(refused("count", [](auto& f) { f.set_natural(std::uint64_t{1} << 32); }) ==
        "whole: \"count\" has no valid value");
  CHECK_FALSE(refused("count", [](auto& f) { f.set_integer(1); }).empty());
  CHECK_FALSE(refused("flag", [](auto& f) { f.set_natural(2); }).empty());
  CHECK_FALSE(
      refused("factor", [](auto& f) { f.set_real(std::numeric_limits<double>::infinity()); }).empty());
  CHECK_FALSE(refused("time", [](auto& f) { f.set_integer(-1); }).empty());
  CHECK_FALSE(refused("now", [](auto& f) { f.set_integer(INT64_MAX); }).empty());
  CHECK_FALSE(refused("colour", [](auto& f) { f.set_natural(2); }).empty());
  CHECK_FALSE(refused("three", [](auto& f) { f.mutable_naturals()->add_value(4); }).empty());
  CHECK_FALSE(refused("running", [](auto& f) { f.set_natural(2); }).empty());
  auto const swapped = [](auto& f) { f.mutable_groups()->mutable_group()->SwapElements(0, 1); };
  CHECK_FALSE(refused("parts", swapped).empty());
}

TEST_CASE("accounts must be those of the View that was seen last") {
  std::vector<DomainId> const same{1, 5}, other{1, 6}, fewer{1};
  CHECK(restored(saved(example()), same).refused.empty());
  CHECK_FALSE(restored(saved(example()), other).refused.empty());
  CHECK_FALSE(restored(saved(example()), fewer).refused.empty());
  CHECK_FALSE(restored({}, fewer).refused.empty());
}
