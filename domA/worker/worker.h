// SPDX-License-Identifier: Apache-2.0
// The waiting around an aVCPU: hybrid spin on the ring, sleep on the ring's or the gate's futex, doorbells to
// the guest and to pegasusd.
#pragma once

#include "domA/avcpu/avcpu.h"
#include "domA/gate/orders.h"
#include "domA/worker/doorbell.h"
#include "frontend/protocol/hybrid_spin.h"

#include <functional>
#include <utility>

namespace pegasus::worker {

class Worker {
public:
  using Obey = std::function<gate::Answer(gate::Order const&)>;
  struct Pages {
    gate::GatePage const& gate;
    gate::UsagePage& usage;
  };
  // All must outlive it.
  Worker(avcpu::Avcpu& avcpu, ring::RequestRing& ring, Doorbell& doorbell, Pages const& pages, int kick_fd,
         Obey obey)
      : avcpu_(avcpu), ring_(ring), doorbell_(doorbell), gate_(pages.gate), usage_(pages.usage),
        kick_fd_(kick_fd), obey_(std::move(obey)) {
    pegasus_spin_init(&spin_);
  }

  // Runs until the ring is broken; the end of the process closes the channel.
  void run();

private:
  void answered();
  void wake_guest();         // if it sleeps
  void wait_for_call();      // hybrid spin, then idle
  bool spin();               // returns true if there is something to do
  void park();               // idle until the guest rings
  void wait_for_gate();      // a call is pending and the gate is closed
  void execute_on_host();    // a call that needs no device; the gate is given back meanwhile
  bool obey();               // an order, if one waits
  [[nodiscard]] bool idle(); // also tells the guest what is done
  void drain();              // waits until the device has done all
  static void pause();       // while the device works
  void kick_daemon() const;  // a scheduling point

  avcpu::Avcpu& avcpu_;
  ring::RequestRing& ring_;
  Doorbell& doorbell_;
  gate::GatePage const& gate_;
  gate::UsagePage& usage_;
  int kick_fd_;
  Obey obey_;
  pegasus_spin spin_;
  std::uint32_t since_publish_ = 0;
};

} // namespace pegasus::worker
