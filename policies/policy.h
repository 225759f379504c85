// SPDX-License-Identifier: Apache-2.0
// One pure method: a snapshot goes in, a plan comes out. A policy keeps its own state between calls but reads
// no clock, file or random number: the same sequence of Views gives the same sequence of Decisions.
//
// The scheduling loop asks at every scheduling point: at `until` and `ask_again` of the last Decision, when a
// domain's calls_waiting goes to or from zero, when domains come or go, and when credits or the policy
// change. The caller closes the gates of the domains that left `run` and waits until the device has drained
// them before it opens the next ones, so a time slice starts on a free device.
#pragma once

#include "policies/decision.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

namespace pegasus::policies {

class Policy {
public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual Decision decide(View const& view) = 0;
  // Device time that the domain has had beyond its share while others wanted it, as of the last
  // decision: it forgoes as much. A domain that leaves stays in the View while it has a debt; the next
  // policy takes it over.
  [[nodiscard]] virtual Nanos debt(DomainId /*of the last View*/) const { return Nanos{0}; }
  // Of a policy whose row says that it reads the CPU schedule: whether the next View is to have it. Where that
  // costs more than what it is for, as of local domains, it may be needed on some devices only.
  [[nodiscard]] virtual bool reads_schedule() const { return true; }
  // Names what it keeps (state_visitor.h), so that another process of pegasusd can go on with a policy that was made with
  // the same tunables. One that names nothing begins anew there: its next View names all domains.
  virtual void visit(StateVisitor& /*state*/) {}
};

} // namespace pegasus::policies
