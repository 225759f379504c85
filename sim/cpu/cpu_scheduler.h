// SPDX-License-Identifier: Apache-2.0
// What the simulator's hypervisor schedulers have in common: they run vCPUs on the pCPUs of one pool.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::sim {

using policies::Nanos;
using policies::Time;

// A vCPU, as its scheduler sees it. on_cpu() and off_cpu() alternate.
class Vcpu {
public:
  virtual void on_cpu() = 0;
  virtual void off_cpu() = 0; // preempted, or it blocked

protected:
  ~Vcpu() = default;
};

struct VcpuSettings {
  std::uint32_t domain = 0; // vCPUs of one domain share its weight and cap
  std::uint32_t weight = 256;
  std::uint32_t cap = 0;       // percent of one pCPU for the whole domain; 0: none
  std::vector<unsigned> pin{}; // the pCPUs it may run on; empty: all

  bool operator==(VcpuSettings const&) const = default;
};

[[nodiscard]] inline bool may_run_on(VcpuSettings const& vcpu, unsigned pcpu) {
  return vcpu.pin.empty() || std::ranges::find(vcpu.pin, pcpu) != vcpu.pin.end();
}

// What a View shows of a vCPU.
struct VcpuState {
  bool running = false;
  bool runnable = false; // ... or waiting for a pCPU
  Time running_since{};
  Time blocked_since{};
  Nanos credit_left{0};
};

class CpuScheduler {
public:
  using VcpuId = std::size_t;
  virtual ~CpuScheduler() = default;

  virtual VcpuId add(Vcpu& vcpu, VcpuSettings const& settings) = 0; // blocked
  virtual void wake(VcpuId vcpu) = 0;                               // nothing if it is not blocked
  virtual void block(VcpuId vcpu) = 0;                              // of the vCPU that runs; calls off_cpu()
  virtual void boost(VcpuId vcpu) = 0;                              // domA/scheduler/loop/xen/schedule.h
  virtual void stop_all() = 0;                                      // the simulation is over
  [[nodiscard]] virtual VcpuState state(VcpuId vcpu) const = 0;
  [[nodiscard]] virtual Nanos cpu_time(VcpuId vcpu) const = 0; // so far
};

} // namespace pegasus::sim
