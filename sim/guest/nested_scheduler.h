// SPDX-License-Identifier: Apache-2.0
// A guest's scheduler of its own (Fleig 3.4): it looks at the device time of the guest's tasks, as pegasusd
// shows it to the guest, and stops and continues their programs by the rule of nested/fair_stopper.h.
#pragma once

#include "nested/fair_stopper.h"
#include "sim/clock.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace pegasus::sim {

struct NestedSettings {
  Nanos lag = nested::FairStopper::Settings{}.lag;
  Nanos idle_after = nested::FairStopper::Settings{}.idle_after;
  Nanos period{std::chrono::milliseconds(1)}; // from one sample to the next

  bool operator==(NestedSettings const&) const = default;
};

class NestedScheduler {
public:
  struct Setup {
    Clock& clock;
    std::function<std::vector<nested::TaskUse>()> read;  // the guest's tasks that there are now
    std::function<void(std::uint32_t task)> stop, go_on; // of its program; go_on: also of one that has ended
  };
  NestedScheduler(Setup setup, NestedSettings const& settings);

private:
  void sample();

  Setup setup_;
  Nanos period_;
  nested::FairStopper stopper_;
  std::vector<std::uint32_t> stopped_; // ascending
  Timer next_sample_;
};

} // namespace pegasus::sim
