// SPDX-License-Identifier: Apache-2.0
// Dom0: a domain whose vCPUs the hypervisor schedules, and whose Linux runs the workers on them.
#pragma once

#include "sim/accelerator/worker_cpu.h"
#include "sim/guest/guest_vcpu.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace pegasus::sim {

struct Dom0Settings {
  std::uint32_t vcpus = 1;
  unsigned own_pcpus = 0;  // pCPUs that no guest runs on; 0: it shares those of the guests
  VcpuSettings cpu{};      // weight, cap, pinning
  bool device_poll = true; // a worker that waits for an answer polls until the device has it

  bool operator==(Dom0Settings const&) const = default;
};

class Dom0 {
public:
  // `settings.cpu.domain` is its number for the scheduler.
  Dom0(Clock& clock, CpuScheduler& scheduler, Dom0Settings const& settings);

  [[nodiscard]] std::unique_ptr<WorkerCpu> worker_cpu(); // must not outlive this object
  // Where a thread runs that wakes up: where it ran last if nothing else does, else where the fewest do.
  [[nodiscard]] GuestVcpu& vcpu_for(GuestVcpu& last);
  [[nodiscard]] Nanos cpu_time() const; // of its vCPUs, so far

private:
  Clock& clock_;
  CpuScheduler& scheduler_;
  bool device_poll_;
  std::vector<std::unique_ptr<GuestVcpu>> vcpus_;
};

} // namespace pegasus::sim
