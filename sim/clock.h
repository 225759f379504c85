// SPDX-License-Identifier: Apache-2.0
// Virtual time: timers in one queue, fired in the order of their times; of equal times, the one that was set
// first. The same calls therefore give the same order on any machine.
#pragma once

#include "policies/view.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace pegasus::sim {

using policies::Nanos;
using policies::Time;

class Timer;

class Clock {
public:
  Clock() = default;
  Clock(Clock const&) = delete;
  Clock& operator=(Clock const&) = delete;

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::uint64_t fired() const { return fired_; } // timers so far
  // Fires all timers up to `end`, which is the time afterwards.
  void run_until(Time end);

private:
  friend class Timer;
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  void set(Timer& timer, Time at);
  void cancel(Timer& timer);
  // What is compared stands in the heap itself: the timers are all over the memory.
  struct Entry {
    Time at;
    std::uint64_t order;
    Timer* timer;

    [[nodiscard]] bool before(Entry const& other) const {
      return at != other.at ? at < other.at : order < other.order;
    }
  };
  void place(Entry const& entry, std::size_t position);
  void move(Entry const& entry, std::size_t hole);

  std::vector<Entry> heap_; // the next one first; the children of n are 4 n + 1 to 4 n + 4
  Time now_{};
  std::uint64_t set_count_ = 0;
  std::uint64_t fired_ = 0;
};

// Calls `fire` once at the time it was last set to. Must not outlive its clock; may set itself again
// when it fires.
class Timer {
public:
  Timer(Clock& clock, std::function<void()> fire) : clock_(clock), fire_(std::move(fire)) {}
  ~Timer() { cancel(); }
  Timer(Timer const&) = delete;
  Timer& operator=(Timer const&) = delete;

  void at(Time time) { clock_.set(*this, time); } // a time in the past is now
  void after(Nanos span) { at(clock_.now() + span); }
  void cancel() { clock_.cancel(*this); }
  [[nodiscard]] bool is_set() const { return position_ != Clock::nowhere; }
  [[nodiscard]] Time time() const { return at_; } // while it is set

private:
  friend class Clock;

  Clock& clock_;
  std::function<void()> fire_;
  Time at_{};
  std::size_t position_ = Clock::nowhere;
};

inline void Clock::place(Entry const& entry, std::size_t position) {
  heap_[position] = entry;
  entry.timer->position_ = position;
}

} // namespace pegasus::sim
