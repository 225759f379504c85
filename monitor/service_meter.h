// SPDX-License-Identifier: Apache-2.0
// How each domain is served: how long it waited for its gate, and whether its SLO held. Pegasus 4.3 defines
// an SLO as expected utilization, 0.5 s of device time in every second; so each second is a period of its
// own.
//
// Only periods count in which the domain wanted the accelerator throughout: it had calls, or had some in the
// last 100 ms, for programs that compute between their calls. A period is violated when the domain received
// less than SLO * period by more than a tick, since a turn may lie across its border.
//
// Demand is what a domain would use if it were alone, not what it received: of complete periods, averaged
// exponentially, the last ten seconds count for two thirds. One thread; reads no clock.
#pragma once

#include "policies/view.h"

#include <cstdint>
#include <map>

namespace pegasus::monitor {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

struct Service {
  Nanos waited{0};              // with a call, and its gate closed
  Nanos average_wait{0};        // of the last waits, each until it had the device or gave up
  std::uint64_t periods = 0;    // with an SLO, and a wish for the accelerator throughout
  std::uint64_t violations = 0; // of these, in which the SLO was missed
  double last_period = 0;       // utilization in the last complete second, 0..1
  bool violated = false;        // then
  double demand = 0;            // part of the recent past in which it had calls, waiting or executing, 0..1
};

class ServiceMeter {
public:
  static constexpr Nanos period{std::chrono::seconds(1)};
  static constexpr Nanos pause{std::chrono::milliseconds(100)};
  static constexpr Nanos demand_memory{std::chrono::seconds(10)};

  // A period that fell short by up to a turn is none that was violated.
  void tolerate(Nanos turn) { tolerance_ = turn; }

  struct Look {
    bool has_calls = false;
    bool gate_open = false;
    Nanos device_busy{0}; // total
    double slo = 0;
  };
  // To be called whenever one of these has changed, and before of() is asked.
  void look(DomainId domain, Look const& now_is, Time now);

  [[nodiscard]] Service of(DomainId domain) const;
  void forget(DomainId domain) { domains_.erase(domain); }
  void reset(); // counts start from zero

private:
  struct Domain {
    Service service;
    Look last;
    Time looked{0};
    Nanos wait{0};        // so far
    Nanos had_calls{0};   // in this period, so far
    Time wanted_until{0}; // without calls, it is taken to want the accelerator for so long
    Time period_began{0};
    Nanos busy_at_beginning{0};
    bool wanted_throughout = true;
  };
  void end_period(Domain& domain, Look const& now_is, Time now) const;

  Nanos tolerance_{0};
  std::map<DomainId, Domain> domains_;
};

} // namespace pegasus::monitor
