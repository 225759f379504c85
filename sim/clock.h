// SPDX-License-Identifier: Apache-2.0
// Virtual time: timers in one queue, fired in the order of their times; of equal times, the one that was set first.
// The same calls therefore give the same order on any machine.
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
  [[nodiscard]] static bool before(Timer const& a, Timer const& b);
  void place(Timer& timer, std::size_t position);
  void move_up(std::size_t position);
  void move_down(std::size_t position);

  std::vector<Timer*> heap_; // binary, the next one first
  Time now_{};
  std::uint64_t set_count_ = 0;
  std::uint64_t fired_ = 0;
};

// Calls `fire` once at the time it was last set to. Must not outlive its clock; may set itself again when it fires.
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
  std::uint64_t order_ = 0;
  std::size_t position_ = Clock::nowhere;
};

} // namespace pegasus::sim
