// SPDX-License-Identifier: Apache-2.0
// One aVCPU: takes a guest task's calls from its ring and executes them while its gate is open. This is the
// poll step alone, without waiting, clocks or system calls; domA/worker wraps it with the hybrid spin, the
// simulator with virtual time.
//
// States (gate/pages.h Activity): running -> idle when the ring stayed empty; -> waiting when a call is
// pending and the gate is closed; back to running when there is a call and the gate is open. A launch that is
// interrupted because the gate closed counts as a pending call.
//
// A call is completed, and its arena bytes are the guest's again, when the device has read what it copies
// from there; calls behind it wait for that, as they complete in order. So the next piece of a large copy is
// taken while the device still reads the last one. Before a reply all that is older is completed: the guest
// takes a reply for the word that it is.
#pragma once

#include "domA/avcpu/call_handler.h"
#include "domA/gate/pages.h"
#include "domA/ring/request_ring.h"

#include <deque>
#include <optional>

namespace pegasus::avcpu {

using Clock = device::Nanos (*)();
struct Clocks {
  Clock host = nullptr;  // the CPU time that this thread has used; none: what the host does is not metered
  Clock lease = nullptr; // CLOCK_MONOTONIC; none: leases on the gate do not run out
};

class Avcpu final : private device::Turn {
public:
  Avcpu(ring::RequestRing& ring, CallHandler& handler, gate::GatePage const& gate, gate::UsagePage& usage,
        Clocks clocks = {})
      : ring_(ring), handler_(handler), gate_(gate), usage_(usage), clocks_(clocks) {}

  enum class Step {
    executed, // one call was executed and answered, or a part of a launch or graph
    empty,    // no call is pending
    gated,    // a call is pending, the gate is closed
    broken,   // the ring is inconsistent: close the channel
  };
  [[nodiscard]] Step step();

  // The gate word that step() saw last; to wait for its change.
  [[nodiscard]] std::uint32_t gate_word() const { return gate_word_; }
  [[nodiscard]] bool gate_open() const {
    std::uint32_t const word = gate_.word.load(std::memory_order_acquire);
    return (word & gate::word_open) != 0 && !lease_is_over(word);
  }
  // Whether the device has done all that it was given; and says what of it is done. To be asked before idle
  // or waiting.
  [[nodiscard]] bool settled();
  // Completes what the device has read meanwhile; false: there was none.
  bool retire() { return !reading_.empty() && retire(handler_.context().host_reads()); }
  [[nodiscard]] bool pending() const { return ring_.peek() != ring::RequestRing::Poll::empty; }

  // State changes, see gate/pages.h for why the order matters.
  void become(gate::Activity activity);
  void publish_totals();
  void publish_latency();

private:
  [[nodiscard]] bool over() const override { return !gate_open(); }
  [[nodiscard]] device::Nanos ends_at() const override;
  [[nodiscard]] bool gate_closed(); // and notes the word
  [[nodiscard]] bool lease_is_over(std::uint32_t word) const;
  [[nodiscard]] Answer execute(pegasus_request const& request);
  void finish(pegasus_request const&, Answer const&);
  bool retire(device::HostReads const&);
  void complete(); // all that no read is in the way of

  ring::RequestRing& ring_;
  CallHandler& handler_;
  gate::GatePage const& gate_;
  gate::UsagePage& usage_;
  Clocks clocks_;
  device::Nanos host_busy_{0};
  std::uint32_t gate_word_ = 0;
  mutable unsigned lease_looks_ = 0;
  mutable std::optional<std::uint32_t> lapsed_word_; // whose lease has run out
  std::optional<pegasus_request> interrupted_;       // a launch or graph that goes on while the gate is open
  std::deque<std::uint32_t> reading_;                // copies whose arena bytes the device may still read
  std::uint64_t reads_begun_ = 0;                    // as the device counts
  std::uint32_t finished_ = 0;                       // the last call that was executed to its end
  std::uint64_t calls_ = 0, sync_calls_ = 0, bytes_ = 0;
};

} // namespace pegasus::avcpu
