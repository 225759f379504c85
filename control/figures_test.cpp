// SPDX-License-Identifier: Apache-2.0
#include "control/figures.h"

#include "control/figure_values.h"
#include "control/framing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

using namespace pegasus::control;

namespace {

// Which figure of a domain had the number when it was introduced: 1, 2, ... A figure that is no more stays here.
constexpr std::string_view given[] = {"credits",
                                      "slo",
                                      "cap",
                                      "latency_slice_ns",
                                      "memory_limit_bytes",
                                      "memory_limited",
                                      "memory_used_bytes",
                                      "host_memory_bytes",
                                      "host_memory_limit_bytes",
                                      "device_busy_ns",
                                      "host_busy_ns",
                                      "estimated",
                                      "target_share",
                                      "received_share",
                                      "calls",
                                      "sync_calls",
                                      "sync_calls_ns",
                                      "sync_calls_per_s",
                                      "latency_us.p50",
                                      "latency_us.p99",
                                      "kept",
                                      "running",
                                      "service.wanted_ns",
                                      "service.waited_ns",
                                      "service.average_wait_ns",
                                      "service.requests_waiting",
                                      "service.utilization",
                                      "service.slo_periods",
                                      "service.slo_violations",
                                      "conduct.debt_ns",
                                      "conduct.killed_tasks",
                                      "conduct.barred_ns",
                                      "conduct.capped",
                                      "cpu.vcpu",
                                      "cpu.running",
                                      "cpu.credit_left_ns",
                                      "cpu.weight",
                                      "cpu.samples_on_device",
                                      "cpu.samples_on_both",
                                      "cpu.wake_ups.ran_already",
                                      "cpu.wake_ups.waited",
                                      "cpu.wake_ups.woken",
                                      "cpu.wake_ups.p50_us",
                                      "cpu.wake_ups.p99_us"};

std::string_view text_of(Unit unit) {
  constexpr std::string_view texts[] = {"", "per second", "of 1", "ns", "us", "s", "bytes", "yes or no"};
  return texts[static_cast<std::size_t>(unit)];
}

std::string_view text_of(FigureKind kind) {
  constexpr std::string_view texts[] = {"counter", "gauge", "state", "setting"};
  return texts[static_cast<std::size_t>(kind)];
}

// The table of docs/operators/figures.md.
template <class Of> std::string page() {
  std::string rows;
  for (Figure<Of> const& row : all_figures<Of>())
    rows += "| `" + std::string(row.name) + "` | " + std::string(text_of(row.kind)) + " | " +
            std::string(text_of(row.unit)) + (text_of(row.unit).empty() ? "| " : " | ") +
            std::string(row.help) + " |\n";
  return rows;
}

// A value for each figure, none twice.
DomainFigures different() {
  DomainFigures figures;
  for (auto const& row : all_figures<DomainFigures>())
    std::visit(
        [&](auto const member) {
          figures.*member = static_cast<std::remove_reference_t<decltype(figures.*member)>>(100 + row.id);
        },
        row.member);
  return figures;
}

DomainFigures greatest() {
  DomainFigures figures;
  for (auto const& row : all_figures<DomainFigures>())
    std::visit(
        [&](auto const member) {
          figures.*member = std::numeric_limits<std::remove_reference_t<decltype(figures.*member)>>::max();
        },
        row.member);
  return figures;
}

bool ends_as(std::string_view name, Unit unit) {
  if (unit == Unit::nanoseconds) return name.ends_with("_ns");
  if (unit == Unit::bytes) return name.ends_with("_bytes");
  if (unit == Unit::per_second) return name.ends_with("_per_s");
  if (unit == Unit::microseconds) return name.find("_us") != name.npos;
  return !name.ends_with("_ns") && !name.ends_with("_bytes") && !name.ends_with("_per_s");
}

} // namespace

TEST_CASE("a figure's number and name are its own, for good") {
  std::set<std::uint32_t> ids;
  std::set<std::string_view> names;
  for (auto const& row : all_figures<DomainFigures>()) {
    INFO(row.name);
    CHECK(ids.insert(row.id).second);
    CHECK(names.insert(row.name).second);
    REQUIRE(row.id > 0);
    if (row.id <= std::size(given))
      CHECK(row.name == given[row.id - 1]);
    else
      CHECK(std::ranges::find(given, row.name) == std::end(given));
  }
}

TEST_CASE("a row says what its figure is") {
  for (auto const& row : all_figures<DomainFigures>()) {
    INFO(row.name);
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == row.name.npos);
    CHECK(ends_as(row.name, row.unit));
    CHECK(std::holds_alternative<bool DomainFigures::*>(row.member) == (row.unit == Unit::yes_or_no));
    CHECK_FALSE(row.help.empty());
    CHECK_FALSE(row.help.ends_with('.'));
    CHECK(row.help.find_first_of("|\n") == row.help.npos);
  }
}

TEST_CASE("each member has one row, in the order of members") {
  DomainFigures figures;
  std::size_t end = 0;
  for (auto const& row : all_figures<DomainFigures>())
    std::visit(
        [&](auto const member) {
          INFO(row.name);
          CHECK(figures.*member == std::remove_reference_t<decltype(figures.*member)>{});
          figures.*member = 1;
          constexpr std::size_t size = sizeof(figures.*member);
          end = (end + size - 1) / size * size;
          CHECK(reinterpret_cast<char*>(&(figures.*member)) - reinterpret_cast<char*>(&figures) ==
                static_cast<std::ptrdiff_t>(end));
          end += size;
        },
        row.member);
  constexpr std::size_t whole = alignof(DomainFigures);
  CHECK((end + whole - 1) / whole * whole == sizeof(DomainFigures));
}

TEST_CASE("figures arrive as they were sent") {
  for (DomainFigures const& sent : {DomainFigures{}, different(), greatest()}) {
    Domain message;
    set_figures(message, sent);
    Domain received;
    REQUIRE(received.ParseFromString(message.SerializeAsString()));
    CHECK(figures_of(received) == sent);
    set_figures(message, DomainFigures{}); // in place of the others
    CHECK(message.figure_size() == 0);
  }
}

TEST_CASE("what a reader does not know is passed over, and what it is not told is 0") {
  Domain message;
  set_figures(message, DomainFigures{.credits = 7, .slo = 0.5});
  CHECK(message.figure_size() == 2);
  FigureValue& of_later_release = *message.add_figure();
  of_later_release.set_id(1'000'000);
  of_later_release.set_whole(3);
  FigureValue& without_value = *message.add_figure();
  without_value.set_id(1);
  FigureValue& of_another_type = *message.add_figure();
  of_another_type.set_id(1);
  of_another_type.set_number(3);
  CHECK(figures_of(message) == DomainFigures{.credits = 7, .slo = 0.5});
}

TEST_CASE("the figures of as many domains as there can be fit into a message") {
  Reply reply;
  for (int i = 0; i < 1024; ++i) {
    Domain& domain = *reply.mutable_domains()->add_domain();
    domain.set_name(std::string(63, 'd'));
    set_figures(domain, greatest());
  }
  CHECK(reply.ByteSizeLong() < max_message * 3 / 4); // the rest is for tasks and placements
}

TEST_CASE("the page of figures has the table's rows") {
  std::ifstream file(PEGASUS_SOURCE_DIRECTORY "/docs/operators/figures.md");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  CHECK_THAT(text, Catch::Contains(page<DomainFigures>()));
}
