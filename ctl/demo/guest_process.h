// SPDX-License-Identifier: Apache-2.0
// One workload program of the demonstration. Its output is kept in a file in the daemon's
// temporary directory.
#pragma once

#include "base/unique_fd.h"
#include "ctl/demo/outcome.h"
#include "ctl/demo/scenario.h"
#include "ctl/failure.h"
#include "ctl/process/child.h"
#include "ctl/process/private_daemon.h"

#include <string>

namespace pegasus::ctl {

class GuestProcess {
public:
  [[nodiscard]] static Result<GuestProcess> start(DemoDomain const& domain, Installation const& installation,
                                                  PrivateDaemon const& daemon, SignalWatch const& signals);

  [[nodiscard]] std::string const& domain() const { return domain_; }
  [[nodiscard]] bool ended() { return process_.ended().has_value(); }
  // Call once it has ended; kills it if it has not.
  [[nodiscard]] Outcome outcome();

private:
  GuestProcess(std::string domain, base::UniqueFd output, Child process)
      : domain_(std::move(domain)), output_(std::move(output)), process_(std::move(process)) {}

  [[nodiscard]] std::string output() const; // the end of what it printed

  std::string domain_;
  base::UniqueFd output_;
  Child process_;
};

} // namespace pegasus::ctl
