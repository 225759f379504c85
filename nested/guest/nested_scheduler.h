// SPDX-License-Identifier: Apache-2.0
// Divides what a guest has of the accelerator among its programs, by weights: reads their totals, and stops and
// continues them.
#pragma once

#include "nested/fair_stopper.h"
#include "nested/guest/program.h"
#include "nested/guest/totals_reader.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::nested {

class NestedScheduler {
public:
  using Weights = std::map<std::string, double>; // by a program's name; others have 1

  using Report = std::function<void(std::string const& problem)>; // for who runs it

  // `processes` outlives it.
  NestedScheduler(FairStopper::Settings const& settings, Weights weights, TotalsReader reader,
                  Processes& processes, Report report)
      : weights_(std::move(weights)), reader_(reader), processes_(processes), report_(std::move(report)),
        stopper_(settings) {}

  // Call it at least once in settings.lag. `now`: any monotonic clock. Returns false if pegasusd is gone.
  [[nodiscard]] bool look(std::chrono::nanoseconds now);

  struct Share { // of the device time that all had since the last call
    Program const* program;
    double weight, share;
  };
  [[nodiscard]] std::vector<Share> shares();

private:
  struct Known { // a process, and the tasks that name it: they are one program
    std::optional<Program> program;
    std::map<std::uint32_t, std::uint64_t> tasks; // the device time of each at the last look
    std::uint64_t used = 0;                       // by all of them, since the first look
    std::uint64_t shown = 0;                      // of that, by the last call of shares()
    bool calling = false;
  };
  void follow(std::vector<pegasus_task_total> const& totals);
  void follow(pegasus_task_total const& task);
  void stop_those_ahead(std::chrono::nanoseconds now);
  [[nodiscard]] double weight_of(Program const& program) const;

  Weights weights_;
  TotalsReader reader_;
  Processes& processes_;
  Report report_;
  FairStopper stopper_;
  std::map<std::uint32_t, Known> known_; // by the process's number
};

} // namespace pegasus::nested
