// SPDX-License-Identifier: Apache-2.0
// What an operator may set of a policy, by name and value: `pegasusctl policy fair slice=2ms`.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

namespace pegasus::policies {

// A shorter tick costs more in switching than the time slice is worth; with a longer one a
// guest's program looks hung.
inline constexpr Nanos min_tick{std::chrono::microseconds(100)};
inline constexpr Nanos max_tick{std::chrono::seconds(1)};

// Of `hold`: the policy finds out for whom it pays to wait (anticipation.h).
inline constexpr Nanos automatic_hold{-1};

struct Tunables {
  Nanos tick{std::chrono::milliseconds(10)}; // the scheduling tick: Xen's credit scheduler ticks every 10 ms
  double host_weight = 1; // weight of the host's time for a domain's copies relative to the device's
  Nanos slice{0};         // fair, eevdf; 0: 0.6 ticks
  Nanos longest_wait{std::chrono::milliseconds(200)}; // all with time slices for domains; 0: none
  Nanos hold{0};             // all with time slices for domains; lead chooses its own
  double look_ahead = 1;     // eevdf
  double interactive = 1000; // fair: synchronous calls a second of service
  double patience = 16;      // cosched: ticks
  double free_run = 5;       // dfq: times the sampling

  // A tick outside of the limits is clamped to the nearest limit.
  [[nodiscard]] Nanos bounded_tick() const { return std::clamp(tick, min_tick, max_tick); }
  bool operator==(Tunables const&) const = default;
};

struct Tunable {
  std::string_view name;
  std::string_view summary; // one line
  std::variant<Nanos Tunables::*, double Tunables::*> field;
  double least, most;              // times in nanoseconds
  std::string_view automatic = {}; // the word for automatic_hold, if it may be that

  [[nodiscard]] std::string value(Tunables const& of) const;
  [[nodiscard]] std::string range() const; // "100us to 1s"
  // Parses "6ms", "0.5" or "auto". Returns false if the value is malformed or out of range.
  [[nodiscard]] bool set(Tunables& of, std::string_view value) const;
};

namespace tunable {
inline constexpr Tunable tick{"tick", "the scheduling tick", &Tunables::tick,
                              static_cast<double>(min_tick.count()), static_cast<double>(max_tick.count())};
inline constexpr Tunable host_weight{"host_weight",
                                     "what the host's time for copies counts beside the device's",
                                     &Tunables::host_weight, 0, 100};
inline constexpr Tunable slice{"slice", "the longest time slice; 0: 0.6 ticks", &Tunables::slice, 0, 1e9};
inline constexpr Tunable usual_slice{
    "slice", "the slice of domains that have none of their own; 0: 0.6 ticks", &Tunables::slice, 0, 1e9};
inline constexpr Tunable hold{
    "hold",
    "how long a domain that is expected back keeps its time slice without calls; auto: "
    "where sharing would cost a domain more than its part of what it does alone",
    &Tunables::hold,
    0,
    1e9,
    "auto"};
inline constexpr Tunable longest_wait{
    "longest_wait",
    "time slices are shortened, to a tenth of a tick at least, so that a round of domains of equal credits "
    "lasts no longer; 0: they are not",
    &Tunables::longest_wait, 0, 1e10};
inline constexpr Tunable look_ahead{
    "look_ahead",
    "1: near the next call of a domain with a latency slice the others' pieces are no longer than that",
    &Tunables::look_ahead, 0, 1};
inline constexpr Tunable interactive{"interactive",
                                     "synchronous calls a second above which a domain's vCPU is woken",
                                     &Tunables::interactive, 0, 1e9};
inline constexpr Tunable patience{"patience", "ticks after which a domain that waits with credit is next",
                                  &Tunables::patience, 1, 1000};
inline constexpr Tunable free_run{"free_run", "how many times as long as the sampling a free run is",
                                  &Tunables::free_run, 1, 100};
} // namespace tunable

} // namespace pegasus::policies
