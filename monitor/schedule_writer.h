// SPDX-License-Identifier: Apache-2.0
// Writes a domain's schedule as a patched Xen does (xen-patches/abi/sched_state.h), from what an unpatched one tells: states,
// their changes, and time on pCPUs. The credit is an estimate (credit_window.h), without a priority. Times are the caller's.
#pragma once

#include "monitor/credit_window.h"
#include "monitor/schedule_reader.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct xen_sched_state_vcpu;

namespace pegasus::monitor {

class ScheduleWriter {
public:
  ScheduleWriter(std::uint32_t domain, std::uint32_t vcpus);

  [[nodiscard]] ScheduleReader const& reader() const { return reader_; } // as long as the writer lives

  // The state at `now`, and the time on pCPUs until then. When a new state was entered is not known: at the latest now.
  // Changes before `now` are old news then.
  void learn(std::uint32_t vcpu, VcpuState state, std::uint32_t cpu, Nanos ran, Time now);
  // Changes come in the order of their times. Ignored of a vCPU that is not known.
  void change(std::uint32_t vcpu, VcpuState state, std::uint32_t cpu, Time at);
  // Brings the estimate of the vCPU's credit up to date.
  void estimate(std::uint32_t vcpu, Time now);

private:
  struct Vcpu {
    bool known = false;
    VcpuState state{};
    std::uint32_t cpu = 0;
    Time since{}; // when it entered its state
    Nanos ran{0}; // before `since`
    Time updated{};
    CreditWindow credit;
  };
  [[nodiscard]] static Nanos ran(Vcpu const& vcpu, Time until);
  void write(std::uint32_t id, Time now);

  std::vector<Vcpu> vcpus_;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::unique_ptr<Line[]> lines_; // the header, then a slot each
  ScheduleReader reader_;
};

} // namespace pegasus::monitor
