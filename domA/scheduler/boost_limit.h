// SPDX-License-Identifier: Apache-2.0
// Limits how often a guest's vCPU is boosted (loop/xen/schedule.h). Each boost takes a pCPU from others, and a
// guest with many short calls has many time slices: without a limit it would go first whenever it has credit.
#pragma once

#include "policies/view.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

namespace pegasus::scheduler {

class BoostLimit {
public:
  // The accounting tick of Xen's credit scheduler. A boosted vCPU stays boosted until a tick finds it
  // running: a second boost within one tick only causes another preemption.
  static constexpr policies::Nanos pause{std::chrono::milliseconds(10)};

  // Returns true, and counts the boost, if this vCPU may be boosted now. Only for vCPUs that
  // exist: each is remembered.
  [[nodiscard]] bool take(std::uint32_t guest, std::uint32_t vcpu, policies::Time now) {
    auto const [known, first] = next_.try_emplace({guest, vcpu}, now);
    if (!first && now < known->second) return false;
    known->second = now + pause;
    return true;
  }
  void forget(std::uint32_t guest) {
    next_.erase(next_.lower_bound({guest, 0}), next_.lower_bound({guest + 1, 0}));
  }

private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, policies::Time> next_; // when it may be boosted again
};

} // namespace pegasus::scheduler
