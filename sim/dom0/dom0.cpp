// SPDX-License-Identifier: Apache-2.0
#include "sim/dom0/dom0.h"

#include "sim/dom0/worker_thread.h"

#include <algorithm>

namespace pegasus::sim {

Dom0::Dom0(Clock& clock, CpuScheduler& scheduler, Dom0Settings const& settings)
    : clock_(clock), scheduler_(scheduler), device_poll_(settings.device_poll) {
  // What a vCPU loses when it comes onto a pCPU is part of the signals' costs (costs.h).
  GuestVcpu::Options const options{.entry = Nanos{0}};
  for (std::uint32_t vcpu = 0; vcpu < settings.vcpus; ++vcpu)
    vcpus_.push_back(std::make_unique<GuestVcpu>(clock, scheduler, settings.cpu, options));
}

std::unique_ptr<WorkerCpu> Dom0::worker_cpu() {
  return std::make_unique<WorkerThread>(clock_, *this, *vcpus_.front(), device_poll_);
}

GuestVcpu& Dom0::vcpu_for(GuestVcpu& last) {
  if (last.threads() == 0) return last;
  return **std::ranges::min_element(vcpus_, {}, [](auto const& vcpu) { return vcpu->threads(); });
}

Nanos Dom0::cpu_time() const {
  Nanos sum{0};
  for (auto const& vcpu : vcpus_)
    sum += scheduler_.cpu_time(vcpu->id());
  return sum;
}

} // namespace pegasus::sim
