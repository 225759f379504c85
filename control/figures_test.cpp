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
#include <span>
#include <type_traits>

using namespace pegasus::control;

namespace {

// Which figures had the numbers 1, 2, ... when they were introduced. A figure that is no more stays here.
constexpr std::string_view of_domain[] = {"credits",
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

constexpr std::string_view of_task[] = {"device_busy_ns", "calls", "memory_bytes", "gate_open"};
constexpr std::string_view of_accelerator[] = {"memory_bytes",   "memory_used_bytes", "domains", "tasks",
                                               "pageable_tasks", "utilization",       "mmr",     "switches",
                                               "switching_ns",   "switch_cost_ns"};

template <class Of> std::span<std::string_view const> given() {
  if constexpr (std::is_same_v<Of, DomainFigures>)
    return of_domain;
  else if constexpr (std::is_same_v<Of, TaskFigures>)
    return of_task;
  else
    return of_accelerator;
}

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

// Figures of which each is what `value` makes of its row, as a number of the member's type.
template <class Of, class Value> Of filled(Value value) {
  Of figures;
  for (auto const& row : all_figures<Of>())
    std::visit(
        [&](auto const member) {
          figures.*member = value(row, std::remove_reference_t<decltype(figures.*member)>{});
        },
        row.member);
  return figures;
}

template <class Of> Of different() {
  return filled<Of>([](auto const& row, auto zero) { return static_cast<decltype(zero)>(100 + row.id); });
}

template <class Of> Of greatest() {
  return filled<Of>([](auto const&, auto zero) { return std::numeric_limits<decltype(zero)>::max(); });
}

bool ends_as(std::string_view name, Unit unit) {
  if (unit == Unit::nanoseconds) return name.ends_with("_ns");
  if (unit == Unit::bytes) return name.ends_with("_bytes");
  if (unit == Unit::per_second) return name.ends_with("_per_s");
  if (unit == Unit::microseconds) return name.find("_us") != name.npos;
  return !name.ends_with("_ns") && !name.ends_with("_bytes") && !name.ends_with("_per_s");
}

} // namespace

TEMPLATE_TEST_CASE("a figure's number and name are its own, for good", "", DomainFigures, TaskFigures,
                   AcceleratorFigures) {
  auto const first = given<TestType>();
  std::set<std::uint32_t> ids;
  std::set<std::string_view> names;
  for (auto const& row : all_figures<TestType>()) {
    INFO(row.name);
    CHECK(ids.insert(row.id).second);
    CHECK(names.insert(row.name).second);
    REQUIRE(row.id > 0);
    if (row.id <= first.size())
      CHECK(row.name == first[row.id - 1]);
    else
      CHECK(std::ranges::find(first, row.name) == first.end());
  }
}

TEMPLATE_TEST_CASE("a row says what its figure is", "", DomainFigures, TaskFigures, AcceleratorFigures) {
  for (auto const& row : all_figures<TestType>()) {
    INFO(row.name);
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == row.name.npos);
    CHECK(ends_as(row.name, row.unit));
    CHECK(std::holds_alternative<bool TestType::*>(row.member) == (row.unit == Unit::yes_or_no));
    CHECK_FALSE(row.help.empty());
    CHECK_FALSE(row.help.ends_with('.'));
    CHECK(row.help.find_first_of("|\n") == row.help.npos);
  }
}

TEMPLATE_TEST_CASE("each member has one row, in the order of members", "", DomainFigures, TaskFigures,
                   AcceleratorFigures) {
  TestType figures;
  std::size_t end = 0;
  for (auto const& row : all_figures<TestType>())
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
  constexpr std::size_t whole = alignof(TestType);
  CHECK((end + whole - 1) / whole * whole == sizeof(TestType));
}

TEMPLATE_TEST_CASE("figures arrive as they were sent", "", DomainFigures, TaskFigures, AcceleratorFigures) {
  using Message =
      std::conditional_t<std::is_same_v<TestType, DomainFigures>, Domain,
                         std::conditional_t<std::is_same_v<TestType, TaskFigures>, Task, Accelerator>>;
  for (TestType const& sent : {TestType{}, different<TestType>(), greatest<TestType>()}) {
    Message message;
    set_figures(message, sent);
    Message received;
    REQUIRE(received.ParseFromString(message.SerializeAsString()));
    CHECK(figures_of(received) == sent);
    set_figures(message, TestType{}); // in place of the others
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

TEST_CASE("the figures of as many domains and tasks as there can be fit into a message") {
  Reply reply;
  for (int i = 0; i < 1024; ++i) {
    Domain& domain = *reply.mutable_domains()->add_domain();
    domain.set_name(std::string(63, 'd'));
    set_figures(domain, greatest<DomainFigures>());
    set_figures(*domain.add_task(), greatest<TaskFigures>());
  }
  CHECK(reply.ByteSizeLong() < max_message * 9 / 10); // the rest is for names of programs and placements
}

TEST_CASE("the page of figures has the table's rows") {
  std::ifstream file(PEGASUS_SOURCE_DIRECTORY "/docs/operators/figures.md");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  CHECK_THAT(text, Catch::Contains(page<DomainFigures>()));
  CHECK_THAT(text, Catch::Contains(page<TaskFigures>()));
  CHECK_THAT(text, Catch::Contains(page<AcceleratorFigures>()));
}
