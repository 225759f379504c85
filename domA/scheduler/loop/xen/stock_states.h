// SPDX-License-Identifier: Apache-2.0
// What every Xen tells: changes of vCPUs' states by its trace buffers, as they happen; where somebody else reads those, all
// states by one hypercall a millisecond.
#pragma once

#include "domA/scheduler/loop/xen/trace_buffers.h"
#include "monitor/schedule_writer.h"

#include <map>
#include <memory>
#include <vector>

namespace pegasus::xen {

class StockStates final : public StateSource {
public:
  StockStates(Hypercalls& calls, xenforeignmemory_handle* memory, Clock clock);
  ~StockStates() override;

  std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id, Time now) override;
  void forget(std::uint32_t domain) override;
  std::string name() const override;

private:
  void watch(std::uint32_t domain);
  void bring_up_to_date(Time now);
  void apply_changes();
  void review_tracing();
  void ask(); // Xen for the states of all watched vCPUs

  Hypercalls& calls_;
  Clock clock_;
  std::unique_ptr<TraceBuffers> traces_; // nullptr: none to be had
  bool traces_complete_ = true;          // as far as is known; a pCPU that came later has no buffer
  bool tracing_ = false;                 // they are ours
  std::map<std::uint32_t, monitor::ScheduleWriter> domains_;
  std::vector<Domctl> questions_; // kept for their memory
  Time known_at_ = Time::min();
  Time ask_at_ = Time::min();
  Time review_at_ = Time::min();
};

} // namespace pegasus::xen
