// SPDX-License-Identifier: Apache-2.0
// The pCPUs that are Dom0's own: a pool of Xen's (cpupool) with a scheduler of the kind that the guests' pool
// has. In a timeline they have the numbers after the guests' pCPUs.
#pragma once

#include "sim/cpu/pool.h"

#include <memory>

namespace pegasus::sim {

class OwnPool {
public:
  // `guests`: the guests' pool, which this one is like, with this number of pCPUs.
  OwnPool(Clock& clock, PoolSettings const& guests, unsigned pcpus, Timeline* timeline);

  [[nodiscard]] CpuScheduler& scheduler() { return *scheduler_; }

private:
  class Renumbered final : public Timeline {
  public:
    Renumbered(Timeline& timeline, unsigned first) : timeline_(timeline), first_(first) {}
    void vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) override {
      timeline_.vcpu_ran(first_ + pcpu, domain, from, to);
    }
    void kernel_ran(std::size_t /*accelerator*/, std::size_t /*domain*/, policies::Time /*from*/,
                    policies::Time /*to*/) override {} // a pool has no accelerator
    void copied(std::size_t /*accelerator*/, std::size_t /*copy_engine*/, std::size_t /*domain*/,
                policies::Time /*from*/, policies::Time /*to*/) override {}

  private:
    Timeline& timeline_;
    unsigned first_;
  };

  std::unique_ptr<Renumbered> timeline_; // nullptr: what runs is not told
  std::unique_ptr<CpuScheduler> scheduler_;
};

} // namespace pegasus::sim
