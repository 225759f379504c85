// SPDX-License-Identifier: Apache-2.0
// What pegasusd tells of domains, tasks and accelerators in numbers, and one table of each. control.proto carries
// {id, value} of each row that is not 0; the rows fill the same struct on the other side, and print it as JSON. A new
// figure is a member, a row, and the place in pegasusd that measures it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace pegasus::control {

enum class Unit : std::uint8_t {
  count,
  per_second,
  fraction,
  nanoseconds,
  microseconds,
  seconds,
  bytes,
  yes_or_no
};

enum class FigureKind : std::uint8_t {
  counter, // since pegasusd started or the last reset
  gauge,   // a measurement that rises and falls
  state,   // what holds now
  setting, // what an operator chose, or what follows from it
};

template <class Of> struct Figure {
  std::uint32_t id;      // on the wire; never given to another figure of the same table
  std::string_view name; // its key in JSON; a dot leads into an object
  Unit unit;
  FigureKind kind;
  std::string_view help; // Markdown, on one line
  std::variant<std::uint64_t Of::*, double Of::*, bool Of::*> member;
};

struct DomainFigures {
  std::uint64_t credits = 0;
  double slo = 0;
  double cap = 0;
  std::uint64_t latency_slice_ns = 0;
  std::uint64_t memory_limit_bytes = 0;
  bool memory_limited = false;
  std::uint64_t memory_used_bytes = 0;
  std::uint64_t host_memory_bytes = 0;
  std::uint64_t host_memory_limit_bytes = 0;
  std::uint64_t device_busy_ns = 0;
  std::uint64_t host_busy_ns = 0;
  std::uint64_t copied_bytes = 0;
  bool estimated = false;
  double target_share = 0;
  double received_share = 0;
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t sync_calls_ns = 0;
  double sync_calls_per_s = 0;
  double latency_p50_us = 0;
  double latency_p99_us = 0;
  bool kept = false;
  bool frozen = false;
  bool running = false;
  std::uint64_t wanted_ns = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t average_wait_ns = 0;
  std::uint64_t requests_waiting = 0;
  double utilization = 0;
  std::uint64_t slo_periods = 0;
  std::uint64_t slo_violations = 0;
  std::uint64_t debt_ns = 0;
  std::uint64_t killed_tasks = 0;
  std::uint64_t barred_ns = 0;
  bool capped = false;
  std::uint64_t vcpu = 0;
  bool vcpu_running = false;
  std::uint64_t cpu_credit_left_ns = 0;
  std::uint64_t cpu_weight = 0;
  std::uint64_t samples_on_device = 0;
  std::uint64_t samples_on_both = 0;
  std::uint64_t wake_ups_ran_already = 0;
  std::uint64_t wake_ups_waited = 0;
  std::uint64_t wake_ups_woken = 0;
  double wake_ups_p50_us = 0;
  double wake_ups_p99_us = 0;

  bool operator==(DomainFigures const&) const = default;
};

struct TaskFigures {
  std::uint64_t device_busy_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t memory_bytes = 0;
  bool gate_open = false;

  bool operator==(TaskFigures const&) const = default;
};

struct AcceleratorFigures {
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_used_bytes = 0;
  std::uint64_t domains = 0;
  std::uint64_t tasks = 0;
  std::uint64_t pageable_tasks = 0;
  double utilization = 0;
  double mmr = 0;
  std::uint64_t switches = 0;
  std::uint64_t switching_ns = 0;
  std::uint64_t switch_cost_ns = 0;

  bool operator==(AcceleratorFigures const&) const = default;
};

// In the order of members and of JSON.
template <class Of> [[nodiscard]] std::span<Figure<Of> const> all_figures();
template <> std::span<Figure<DomainFigures> const> all_figures();
template <> std::span<Figure<TaskFigures> const> all_figures();
template <> std::span<Figure<AcceleratorFigures> const> all_figures();

} // namespace pegasus::control
