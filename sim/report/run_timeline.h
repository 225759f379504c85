// SPDX-License-Identifier: Apache-2.0
// A timeline of one run after the other.
#pragma once

#include "sim/scenario/scenario.h"
#include "sim/timeline.h"

#include <string>
#include <utility>
#include <vector>

namespace pegasus::sim {

class RunTimeline : public Timeline {
public:
  // What follows is of the scenario's run under this policy.
  virtual void begin(Scenario const& scenario, std::string const& policy) = 0;

protected:
  ~RunTimeline() = default;
};

// Tells each of several.
class RunTimelines final : public RunTimeline {
public:
  explicit RunTimelines(std::vector<RunTimeline*> all) : all_(std::move(all)) {}

  void begin(Scenario const& scenario, std::string const& policy) override {
    for (RunTimeline* const each : all_)
      each->begin(scenario, policy);
  }
  void vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) override {
    for (RunTimeline* const each : all_)
      each->vcpu_ran(pcpu, domain, from, to);
  }
  void kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from,
                  policies::Time to) override {
    for (RunTimeline* const each : all_)
      each->kernel_ran(accelerator, domain, from, to);
  }

  void copied(std::size_t accelerator, std::size_t copy_engine, std::size_t domain, policies::Time from,
              policies::Time to) override {
    for (RunTimeline* const each : all_)
      each->copied(accelerator, copy_engine, domain, from, to);
  }

private:
  std::vector<RunTimeline*> all_;
};

} // namespace pegasus::sim
