// SPDX-License-Identifier: Apache-2.0
// How often a guest's vCPU may be boosted (xen-patches/0002). Each boost makes others lose their pCPU, and a
// guest of many short calls has many turns: without a bound it would go first whenever it has credit.
#pragma once

#include "policies/view.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

namespace pegasus::scheduler {

class BoostLimit {
public:
  // The accounting tick of Xen's credit scheduler. A boosted vCPU stays so until a tick finds it running: a
  // second boost within one gains it nothing but another preemption.
  static constexpr policies::Nanos pause{std::chrono::milliseconds(10)};

  // Whether this vCPU may be boosted now; it has been, if so. Only vCPUs that there are: each is remembered.
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
  std::map<std::pair<std::uint32_t, std::uint32_t>, policies::Time> next_; // when again
};

} // namespace pegasus::scheduler
