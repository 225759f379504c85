// SPDX-License-Identifier: Apache-2.0
// A damaged state is refused, or gives a dispatcher that decides something: nothing that a state may hold makes it fail.
#include "domA/scheduler/testing/setting.h"
#include "domA/scheduler/testing/turmoil.h"
#include "domA/state/state.pb.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

void collect(state::Fields& fields, std::vector<state::Field*>& all) {
  for (state::Field& field : *fields.mutable_field()) {
    all.push_back(&field);
    if (field.has_groups())
      for (state::Fields& group : *field.mutable_groups()->mutable_group())
        collect(group, all);
  }
}

std::vector<state::Field*> fields_of(state::Dispatcher& state) {
  std::vector<state::Field*> all;
  collect(*state.mutable_fields(), all);
  collect(*state.mutable_policy()->mutable_fields(), all);
  collect(*state.mutable_policy()->mutable_tunables(), all);
  for (state::Domain& domain : *state.mutable_domains())
    collect(*domain.mutable_fields(), all);
  for (state::Task& task : *state.mutable_tasks())
    collect(*task.mutable_fields(), all);
  return all;
}

constexpr std::array<std::int64_t, 12> bad_integers{0,
                                                    1,
                                                    -1,
                                                    1000,
                                                    -1000,
                                                    1'000'000'000'000,
                                                    -1'000'000'000'000,
                                                    std::int64_t{1} << 58,
                                                    -(std::int64_t{1} << 58),
                                                    std::int64_t{1} << 62,
                                                    INT64_MAX,
                                                    INT64_MIN};
constexpr std::array<std::uint64_t, 8> bad_naturals{0, 1, 2, 7, 99, UINT32_MAX, INT64_MAX, UINT64_MAX};
constexpr std::array<double, 9> bad_reals{0,
                                          -1,
                                          0.5,
                                          1e-300,
                                          1e300,
                                          -1e300,
                                          std::numeric_limits<double>::infinity(),
                                          -1e9,
                                          std::numeric_limits<double>::quiet_NaN()};

class Damage {
public:
  explicit Damage(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t bound) { return engine_() % bound; }
  template <class Value, std::size_t size> Value any(std::array<Value, size> const& values) {
    return values[below(size)];
  }

  // One of its fields has another value, another length or another name.
  void operator()(state::Dispatcher& state) {
    std::vector<state::Field*> const fields = fields_of(state);
    state::Field& field = *fields[below(fields.size())];
    if (below(20) == 0) return field.set_name("unknown");
    if (field.has_integer()) field.set_integer(any(bad_integers));
    if (field.has_natural()) field.set_natural(any(bad_naturals));
    if (field.has_real()) field.set_real(any(bad_reals));
    if (field.has_naturals()) resize(*field.mutable_naturals()->mutable_value());
    if (field.has_groups()) resize(*field.mutable_groups()->mutable_group());
  }
  // Bytes that are cut off, or of which a few bits are others.
  [[nodiscard]] std::string operator()(std::string bytes) {
    if (below(4) == 0) return bytes.substr(0, below(bytes.size()));
    for (std::uint64_t flips = 1 + below(3); flips > 0; --flips) {
      char& byte = bytes[below(bytes.size())];
      byte = static_cast<char>(byte ^ (1 << below(8)));
    }
    return bytes;
  }

private:
  void resize(google::protobuf::RepeatedField<std::uint64_t>& values) {
    if (values.empty() || below(2) == 0)
      values.Add(any(bad_naturals));
    else if (below(2) == 0)
      values.RemoveLast();
    else
      values.Set(static_cast<int>(below(static_cast<std::size_t>(values.size()))), any(bad_naturals));
  }
  void resize(google::protobuf::RepeatedPtrField<state::Fields>& groups) {
    if (groups.empty() || below(2) == 0)
      groups.Add();
    else
      groups.RemoveLast();
  }

  std::mt19937_64 engine_;
};

} // namespace

TEST_CASE("a damaged state is refused, or gives a dispatcher that goes on") {
  std::vector<std::string_view> all;
  for (policies::Entry const& entry : policies::registry())
    all.push_back(entry.name);
  std::uint64_t const steps = setting("PEGASUS_STEPS", 400);
  std::size_t refused = 0, accepted = 0;
  for (std::string_view const policy : all)
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Turmoil turmoil({policy}, seed);
      Damage damage(seed);
      auto const damaged = [&](state::Dispatcher& state) {
        if (seed % 2 == 0) return damage(state);
        std::string const bytes = damage(state.SerializeAsString());
        if (!state.ParseFromString(bytes)) state.Clear(); // of no version
      };
      for (std::uint64_t step = 0; step < steps; ++step) {
        turmoil.step();
        ++(turmoil.device().restart(damaged).empty() ? accepted : refused);
      }
    }
  CHECK(refused > accepted / 10);
  CHECK(accepted > refused / 10);
}
