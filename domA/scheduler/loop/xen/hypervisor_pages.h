// SPDX-License-Identifier: Apache-2.0
// The pages that a patched Xen writes (xen-patches/0001).
#pragma once

#include "domA/scheduler/loop/xen/handles.h"
#include "domA/scheduler/loop/xen/state_source.h"
#include "monitor/clock_offset.h"

#include <map>
#include <memory>

namespace pegasus::xen {

class HypervisorPages final : public StateSource {
public:
  // Returns nullptr if this Xen has none.
  [[nodiscard]] static std::unique_ptr<HypervisorPages> open(xenforeignmemory_handle* memory);
  ~HypervisorPages() override;

  std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id, Time now) override;
  void forget(std::uint32_t domain) override;
  std::string name() const override { return "pages written by the hypervisor"; }

private:
  struct Mapping {
    xenforeignmemory_resource_handle* resource = nullptr; // nullptr: they could not be mapped
    monitor::ScheduleReader reader;
  };
  explicit HypervisorPages(xenforeignmemory_handle* memory) : memory_(memory) {}
  [[nodiscard]] Mapping map(std::uint32_t domain) const;
  void unmap(Mapping const& mapping) const;

  xenforeignmemory_handle* memory_;
  std::map<std::uint32_t, Mapping> domains_;
  monitor::ClockOffset offset_;
};

} // namespace pegasus::xen
