// SPDX-License-Identifier: Apache-2.0
// The demonstration's run of one policy: start the programs, let them warm up, measure a window,
// let them finish.
#pragma once

#include "control/client/client.h"
#include "ctl/demo/guest_process.h"
#include "ctl/demo/report.h"

#include <chrono>

namespace pegasus::ctl {

class Measurement {
public:
  Measurement(Installation const& installation, PrivateDaemon& daemon, control::Client& client,
              SignalWatch& signals)
      : installation_(installation), daemon_(daemon), client_(client), signals_(signals) {}

  [[nodiscard]] Result<RunReport> run(std::string const& policy, bool mixed, double window_s);

private:
  using Seconds = std::chrono::duration<double>;
  enum class Window { complete, cut_short };

  Result<void> prepare(std::string const& policy, std::vector<DemoDomain> const& domains);
  Result<void> start(std::vector<DemoDomain> const& domains);
  Result<void> wait_until_all_work();
  Result<Window> measure(Seconds window, control::Domains& measured);
  Result<std::vector<Outcome>> collect(Seconds patience);

  Result<void> pause(Seconds time); // fails if a signal asks us to end, or if the daemon died
  Result<void> ask(control::Request const& request, control::Reply::WhatCase expected);
  Result<control::Domains> domains();
  GuestProcess* first_ended();

  Installation const& installation_;
  PrivateDaemon& daemon_;
  control::Client& client_;
  SignalWatch& signals_;
  std::vector<GuestProcess> guests_;
};

} // namespace pegasus::ctl
