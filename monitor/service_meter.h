// SPDX-License-Identifier: Apache-2.0
// How a domain is served: how long it waited for its gate, and whether its SLO held. Pegasus 4.3 defines
// an SLO as expected utilization, 0.5 s of device time in every second, so each second is a separate period.
//
// A period counts only if the domain wanted the accelerator throughout: it had calls, or had some in the last
// 100 ms, for programs that compute between their calls. A period is violated when the domain received less
// than SLO * period by more than a tick, because a time slice may cross the end of the period.
//
// Demand is what a domain would use if it were alone, not what it received. It is an exponential average over
// complete periods: the last ten seconds count for two thirds. One thread; reads no clock.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

struct Service {
  Nanos wanted{0};              // with a call, waiting or executing
  Nanos waited{0};              // ... and its gate closed
  Nanos average_wait{0};        // of the last waits, each until it had the device or gave up
  std::uint64_t periods = 0;    // with an SLO, and wanting the accelerator throughout
  std::uint64_t violations = 0; // periods in which the SLO was missed
  double last_period = 0;       // utilization in the last complete second, 0..1
  bool violated = false;        // in that second
  double demand = 0;            // fraction of the recent past in which it had calls, 0..1

  void visit(policies::StateVisitor& state);
};

class ServiceMeter {
public:
  static constexpr Nanos period{std::chrono::seconds(1)};
  static constexpr Nanos pause{std::chrono::milliseconds(100)};
  static constexpr Nanos demand_memory{std::chrono::seconds(10)};

  // A period that fell short by up to `time` does not count as violated.
  void tolerate(Nanos time) { tolerance_ = time; }

  struct Sample {
    bool has_calls = false;
    bool gate_open = false;
    Nanos device_busy{0}; // total
    double slo = 0;

    void visit(policies::StateVisitor& state);
  };
  // Call whenever one of these has changed.
  void sample(Sample const& now_is, Time now);

  [[nodiscard]] Service const& service() const { return service_; } // at the last sample
  [[nodiscard]] Service service(Time now) const;                    // if nothing has changed since then
  void reset();                                                     // counts start from zero
  void visit(policies::StateVisitor& state);                        // but for what tolerate() says

private:
  void end_period(Sample const& now_is, Time now);

  Nanos tolerance_{0};
  Service service_;
  std::optional<Time> sampled_{};
  Sample last_;
  Nanos wait_{0};       // so far
  Nanos had_calls_{0};  // in this period, so far
  Time wanted_until_{}; // without calls, it is taken to want the accelerator until then
  Time period_began_{};
  Nanos busy_at_beginning_{0};
  bool wanted_throughout_ = true;
};

} // namespace pegasus::monitor
