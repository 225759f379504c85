// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/nested_scheduler.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {

NestedScheduler::NestedScheduler(Setup setup, NestedSettings const& settings)
    : setup_(std::move(setup)), period_(settings.period),
      stopper_({.lag = settings.lag, .idle_after = settings.idle_after}),
      next_sample_(setup_.clock, [this] { sample(); }) {
  next_sample_.after(period_);
}

void NestedScheduler::sample() {
  next_sample_.after(period_);
  auto const before = std::exchange(stopped_, stopper_.stop(setup_.read(), setup_.clock.now() - Time{}));
  for (std::uint32_t const task : before)
    if (!std::ranges::binary_search(stopped_, task)) setup_.go_on(task);
  for (std::uint32_t const task : stopped_)
    if (!std::ranges::binary_search(before, task)) setup_.stop(task);
}

} // namespace pegasus::sim
