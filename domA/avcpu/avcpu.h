// SPDX-License-Identifier: Apache-2.0
// One aVCPU: takes a guest task's calls from its ring and executes them while its gate is open. This is only
// the poll step, without waiting, clocks or system calls; domA/worker wraps it with the hybrid spin.
//
// States (gate/pages.h Activity): running -> idle when the ring stayed empty; -> waiting when a call is
// pending and the gate is closed; back to running when there is a call and the gate is open. A launch that is
// interrupted because the gate closed counts as a pending call.
//
// A call that needs no device (loading a module, which may compile for minutes; looking up its functions) is
// begun with an open gate and executed while no work of the task is on the device (Step::on_host); likewise the
// part of a launch that compiles. The worker gives the gate back meanwhile: neither does the device stand
// still, nor does the call count as one that keeps others from it.
//
// A call is complete, and its arena bytes belong to the guest again, when the device has read all that it
// copies from there. Later calls wait for that, because calls complete in order. The next piece of a large
// copy is therefore taken while the device still reads the previous one. All older calls are completed before
// a reply, because the guest takes a reply to mean that.
#pragma once

#include "domA/avcpu/call_handler.h"
#include "domA/gate/pages.h"
#include "domA/ring/request_ring.h"

#include <deque>
#include <optional>

namespace pegasus::avcpu {

using Clock = device::Nanos (*)();
struct Clocks {
  Clock host = nullptr;  // CPU time used by this thread; nullptr: the host's work is not metered
  Clock lease = nullptr; // CLOCK_MONOTONIC; nullptr: leases on the gate do not expire
};

class Avcpu final : private device::TimeSlice {
public:
  Avcpu(ring::RequestRing& ring, CallHandler& handler, gate::GatePage const& gate, gate::UsagePage& usage,
        Clocks clocks = {})
      : ring_(ring), handler_(handler), gate_(gate), usage_(usage), clocks_(clocks) {}

  enum class Step {
    executed, // one call, or a part of a launch or graph, was executed and answered
    empty,    // no call is pending
    gated,    // a call is pending, the gate is closed
    on_host,  // a call, or a part of one, that needs no device is pending: execute_on_host() executes it
    broken,   // the ring is inconsistent: close the channel
  };
  [[nodiscard]] Step step();
  // After step() returned on_host, once idle() is true: executes that call. The activity is on_host meanwhile.
  void execute_on_host();
  // The call that step() returned on_host for may take seconds: others should have the device meanwhile.
  [[nodiscard]] bool takes_long() const;

  // The gate word that step() last saw, for waiting until it changes.
  [[nodiscard]] std::uint32_t gate_word() const { return gate_word_; }
  [[nodiscard]] bool gate_open() const {
    std::uint32_t const word = gate_.word.load(std::memory_order_acquire);
    return (word & gate::word_open) != 0 && !lease_is_over(word);
  }
  // Publishes the totals. Returns true if the device has finished all its work. Call before
  // becoming idle or waiting.
  [[nodiscard]] bool idle();
  // Completes the calls whose data the device has read meanwhile. Returns false if there were none.
  bool retire() { return !reading_.empty() && retire(handler_.context().host_reads()); }
  [[nodiscard]] bool pending() const {
    return progress_ != Progress::none || ring_.peek() != ring::RequestRing::Poll::empty;
  }

  // Changes the state; gate/pages.h says why the order matters.
  void set_activity(gate::Activity activity);
  void publish_totals();
  void publish_latency();

private:
  [[nodiscard]] bool over() const override { return !gate_open(); }
  [[nodiscard]] device::Nanos ends_at() const override;
  [[nodiscard]] device::PieceLimit pieces() const override;
  [[nodiscard]] bool gate_closed(); // also stores the word
  [[nodiscard]] bool lease_is_over(std::uint32_t word) const;
  void execute();
  template <class Call> auto metered(bool long_call, Call call); // host time; returns what `call` returns
  [[nodiscard]] bool compiles() const;                           // a launch that was interrupted for it
  [[nodiscard]] CallResult result_of_call();
  void finish(CallResult const&);
  bool retire(device::HostReads const&);
  void complete(); // all calls that no read blocks
  void tell_guest();

  ring::RequestRing& ring_;
  CallHandler& handler_;
  gate::GatePage const& gate_;
  gate::UsagePage& usage_;
  Clocks clocks_;
  device::Nanos host_busy_{0};
  std::uint32_t gate_word_ = 0;
  bool waits_ = false;                           // for the gate
  std::uint32_t told_ = PEGASUS_WORKER_STARTING; // the worker state that the guest sees
  mutable unsigned lease_looks_ = 0;
  mutable std::optional<std::uint32_t> lapsed_word_; // the word whose lease has expired
  pegasus_request call_;                             // our copy of the call that was taken last
  enum class Progress {
    none,
    taken,
    interrupted
  } progress_ = Progress::none;       // of it, unless it has been executed
  std::deque<std::uint32_t> reading_; // copies whose arena bytes the device may still read
  std::uint64_t reads_begun_ = 0;     // as the device counts them
  std::uint32_t finished_ = 0;        // the last call that was executed completely
  std::uint64_t calls_ = 0, sync_calls_ = 0, bytes_ = 0;
};

} // namespace pegasus::avcpu
