// SPDX-License-Identifier: Apache-2.0
#include "sim/clock.h"

#include <algorithm>

namespace pegasus::sim {
namespace {

// Less deep than a binary heap, and the children of one stand together in memory.
constexpr std::size_t children = 4;

} // namespace

void Clock::run_until(Time end) {
  while (!heap_.empty() && heap_.front().at <= end) {
    Timer& next = *heap_.front().timer;
    now_ = heap_.front().at;
    cancel(next);
    ++fired_;
    next.fire_();
  }
  now_ = std::max(now_, end);
}

void Clock::set(Timer& timer, Time at) {
  timer.at_ = std::max(at, now_);
  if (timer.position_ == nowhere) {
    timer.position_ = heap_.size();
    heap_.emplace_back();
  }
  move({timer.at_, set_count_++, &timer}, timer.position_);
}

void Clock::cancel(Timer& timer) {
  std::size_t const hole = timer.position_;
  if (hole == nowhere) return;
  timer.position_ = nowhere;
  Entry const last = heap_.back();
  heap_.pop_back();
  if (last.timer != &timer) move(last, hole);
}

// Places the entry at `hole`, or where the heap's order wants it from there: further up, else further down.
void Clock::move(Entry const& entry, std::size_t hole) {
  while (hole > 0) {
    std::size_t const parent = (hole - 1) / children;
    if (!entry.before(heap_[parent])) break;
    place(heap_[parent], hole);
    hole = parent;
  }
  for (std::size_t first; (first = children * hole + 1) < heap_.size();) {
    std::size_t const end = std::min(first + children, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (heap_[child].before(heap_[least])) least = child;
    if (!heap_[least].before(entry)) break;
    place(heap_[least], hole);
    hole = least;
  }
  place(entry, hole);
}

} // namespace pegasus::sim
