// SPDX-License-Identifier: Apache-2.0
// What operators see: domains, accelerators, policies and the log, as replies of control/control.proto.
#pragma once

#include "domA/daemon/domain_report.h"

#include <span>
#include <vector>

namespace pegasus::control {
class Domains;
class Policy;
class Reply;
class Version;
} // namespace pegasus::control

namespace pegasus::daemon {

class StatusReport {
public:
  // All four must outlive it.
  StatusReport(Options const& options, Accelerators& accelerators, DomainTable const& domains,
               Sessions const& sessions)
      : options_(options), accelerators_(accelerators), domains_(domains), sessions_(sessions),
        domain_(accelerators, domains, sessions) {}

  void version(std::string const& workers_lack, control::Reply& reply) const;
  void policy(control::Reply& reply) const; // the policy in use
  void policies(control::Reply& reply) const;
  void domains(control::Reply& reply);
  void accelerators(control::Reply& reply);
  void log(std::uint32_t entries, control::Reply& reply); // the last entries; 0: all that are kept

private:
  struct Fairness { // on one accelerator, since the last reset
    std::uint32_t domains = 0;
    double credits = 0; // of these domains
    Nanos busy{0};      // including domains that have left
    double mmr = 1;
    double utilization = 0;
  };
  void describe(policies::Entry const& entry, control::Policy& out) const;
  // On the scheduling thread:
  [[nodiscard]] Fairness fairness(Accelerator const& accelerator) const;
  void describe_shares(std::span<control::DomainFigures> figures, control::Domains& out);

  Options const& options_;
  Accelerators& accelerators_;
  DomainTable const& domains_;
  Sessions const& sessions_;
  DomainReport domain_;
};

} // namespace pegasus::daemon
