// SPDX-License-Identifier: Apache-2.0
#include "sim/clock.h"

#include <algorithm>

namespace pegasus::sim {

void Clock::run_until(Time end) {
  while (!heap_.empty() && heap_.front()->at_ <= end) {
    Timer& next = *heap_.front();
    now_ = next.at_;
    cancel(next);
    ++fired_;
    next.fire_();
  }
  now_ = std::max(now_, end);
}

bool Clock::before(Timer const& a, Timer const& b) {
  return a.at_ != b.at_ ? a.at_ < b.at_ : a.order_ < b.order_;
}

void Clock::set(Timer& timer, Time at) {
  cancel(timer);
  timer.at_ = std::max(at, now_);
  timer.order_ = set_count_++;
  heap_.push_back(&timer);
  timer.position_ = heap_.size() - 1;
  move_up(timer.position_);
}

void Clock::cancel(Timer& timer) {
  std::size_t const hole = timer.position_;
  if (hole == nowhere) return;
  timer.position_ = nowhere;
  Timer* const last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  place(*last, hole);
  move_up(hole);
  move_down(last->position_);
}

void Clock::place(Timer& timer, std::size_t position) {
  heap_[position] = &timer;
  timer.position_ = position;
}

void Clock::move_up(std::size_t position) {
  Timer& timer = *heap_[position];
  while (position > 0) {
    std::size_t const parent = (position - 1) / 2;
    if (!before(timer, *heap_[parent])) break;
    place(*heap_[parent], position);
    position = parent;
  }
  place(timer, position);
}

void Clock::move_down(std::size_t position) {
  Timer& timer = *heap_[position];
  for (std::size_t child; (child = 2 * position + 1) < heap_.size(); position = child) {
    if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
    if (!before(*heap_[child], timer)) break;
    place(*heap_[child], position);
  }
  place(timer, position);
}

} // namespace pegasus::sim
