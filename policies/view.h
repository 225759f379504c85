// SPDX-License-Identifier: Apache-2.0
// What a policy sees: one snapshot of one accelerator's run queue and of the hypervisor's CPU schedule. It
// has totals, not events: a missed poll cannot corrupt a policy. All members are values; spans
// live as long as the View.
#pragma once

#include "policies/ids.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::policies {

using Nanos = std::chrono::nanoseconds;
// The clock of a schedule: monotonic, from an arbitrary origin. It cannot be read: the daemon, the simulator
// or a test supplies its times.
struct ScheduleClock {
  using duration = Nanos;
  using rep = duration::rep;
  using period = duration::period;
  static constexpr bool is_steady = true;
};
using Time = std::chrono::time_point<ScheduleClock>;

inline constexpr std::uint32_t default_credits = 256; // as Xen's default weight
inline constexpr std::uint32_t min_credits = 1;
inline constexpr std::uint32_t max_credits = 65535; // Xen's range of weights

// Limits of a domain's own slice. A shorter one costs more in switching than the time slice is worth; with a
// longer one the programs of the other domains look hung.
inline constexpr Nanos min_latency_slice{std::chrono::microseconds(100)};
inline constexpr Nanos max_latency_slice{std::chrono::seconds(1)};

// Of the vCPU that makes a domain's next call, as far as the hypervisor reports it. A vCPU that does not exist never runs.
struct CpuState {
  bool running = false;                             // it is on a pCPU now (or will be for the coming period)
  std::optional<Time> running_since = std::nullopt; // ... without a pause
  std::optional<Time> blocked_since = std::nullopt; // it wants no pCPU: its program waits for something
  Nanos credit_left{0};                             // its remaining CPU credit, as time
  std::uint32_t weight = default_credits;           // of the domain's vCPUs

  bool operator==(CpuState const&) const = default;
};

struct DomainView {
  DomainId id = 0;
  std::uint32_t credits = default_credits; // accelerator credits, 1..65535
  std::uint32_t calling_vcpu = 0;          // the vCPU that made its next call, as the guest reports it
  CpuState cpu{};                          // of that vCPU
  std::uint32_t tasks = 0; // connected tasks (guest processes using the accelerator); 0: it left in debt
  std::uint32_t calls_waiting = 0;                // tasks with a call pending or executing; 0: nothing to run
  std::optional<Time> calls_since = std::nullopt; // since when it has calls, or none, if known
  bool barred = false; // it has calls that are hidden: it overran, and the others are to receive their part
  bool capped = false; // ... it has had all that it may have, and is owed nothing meanwhile
  std::uint32_t requests_waiting = 0; // requests in the call buffers of tasks that wait for their gate
  std::uint32_t on_device = 0;        // tasks whose work the accelerator is executing
  bool context_established = false;   // it holds device state (memory or modules)
  double sync_call_rate = 0;          // synchronous calls per second of service, recent
  std::uint64_t sync_calls_total = 0; // ... and all since it connected
  Nanos device_busy_total{0};         // device time since it connected, including unfinished work
  Nanos debt{0};                      // Policy::debt() of the previous policy, for the next one
  Nanos host_charged_total{0};        // CPU time of its copies, images and output, times host_weight
  Nanos average_wait{0};              // average of its last waits for the device
  double slo = 0;                     // expected utilization, 0..1; 0: none (P 4.3)
  Nanos latency_slice{0};             // length of its time slices as an operator set it; 0: the policy's own
  std::uint64_t memory_bytes = 0;     // device memory it holds

  bool operator==(DomainView const&) const = default;
};

struct View {
  Time now{};
  Time run_since{}; // when the last Decision was carried out; since then the device belongs to its `run`
  std::span<DomainView const> domains; // ordered by id; domains with tasks or in debt
  // Positions in `domains` of the domains that changed since the last View. nullopt if domains
  // came or went: look at all.
  std::optional<std::span<std::uint32_t const>> changed = std::nullopt;
  Nanos switch_cost{
      0}; // what the device takes to go from one domain's work to another's; 0: nothing, or not known
};

} // namespace pegasus::policies
