// SPDX-License-Identifier: Apache-2.0
// Xen's trace buffers, one a pCPU, into which every Xen writes changes of vCPUs' states if it is told to: what xentrace reads.
// They have one reader, and whoever reads them already goes before us. Dom0 only.
#pragma once

#include "domA/scheduler/loop/xen/hypercalls.h"
#include "domA/scheduler/loop/xen/state_source.h"
#include "monitor/state_changes.h"

#include <memory>
#include <vector>

namespace pegasus::xen {

class TraceBuffers {
public:
  // Returns nullptr if this Xen has none, or none for us. Both must outlive the buffers.
  [[nodiscard]] static std::unique_ptr<TraceBuffers> open(Hypercalls& calls, xenforeignmemory_handle* memory);
  ~TraceBuffers();
  TraceBuffers(TraceBuffers const&) = delete;
  TraceBuffers& operator=(TraceBuffers const&) = delete;

  [[nodiscard]] bool has(std::uint32_t cpu) const; // a buffer
  // Whether somebody has used them since the last time.
  [[nodiscard]] bool in_use();
  void take();                // from now on we are their reader
  [[nodiscard]] bool start(); // tells Xen to write; again if another may have told it to stop
  void stop();
  // What was written since, by time. Not `all`: the changes are not complete.
  struct Changes {
    monitor::StateChanges::Drained drained;
    std::vector<monitor::StateChange> const& changes;
  };
  [[nodiscard]] Changes drain();
  // When a pCPU's counter had this value, which it had before `now`, when ours had `tsc_now`.
  [[nodiscard]] Time time_of(std::uint64_t tsc, std::uint64_t tsc_now, Time now) const;
  [[nodiscard]] static std::uint64_t counter();

private:
  struct Mapping {
    void* address;
    std::size_t pages;
  };
  TraceBuffers(Hypercalls& calls, xenforeignmemory_handle* memory) : calls_(calls), memory_(memory) {}
  [[nodiscard]] bool map();
  [[nodiscard]] std::byte* map(std::vector<xen_pfn_t> const& frames, int access);
  [[nodiscard]] bool tell(std::uint32_t command, std::uint32_t value = 0);

  Hypercalls& calls_;
  xenforeignmemory_handle* memory_;
  std::vector<Mapping> mappings_;
  std::vector<monitor::StateChanges> buffers_;
  std::vector<std::uint32_t> cpus_; // of these, in order
  std::vector<monitor::StateChange> changes_;
  std::uint64_t counter_khz_ = 0;
  bool ours_before_ = false; // Xen writes what we would tell it to write: the last of us has died
};

} // namespace pegasus::xen
