// SPDX-License-Identifier: Apache-2.0
// What operators see of one domain: where it is or why it is nowhere, its settings, its use, its tasks.
#pragma once

#include "domA/daemon/sessions.h"

namespace pegasus::control {
class Domain;
struct DomainFigures;
} // namespace pegasus::control

namespace pegasus::daemon {

class DomainReport {
public:
  // All three must outlive it.
  DomainReport(Accelerators& accelerators, DomainTable const& domains, Sessions const& sessions)
      : accelerators_(accelerators), domains_(domains), sessions_(sessions) {}

  void placement(Domain const& domain, control::Domain& out) const;
  void settings(Domain const& domain, control::DomainFigures& out) const;
  // On the scheduling thread:
  void use(Domain const& domain, control::DomainFigures& out) const; // since the last reset
  void tasks(Domain const& domain, control::Domain& out) const;

private:
  void schedule(Domain const& domain, control::DomainFigures& out) const;

  Accelerators& accelerators_;
  DomainTable const& domains_;
  Sessions const& sessions_;
};

} // namespace pegasus::daemon
