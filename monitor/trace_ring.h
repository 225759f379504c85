// SPDX-License-Identifier: Apache-2.0
// The last decisions of the scheduler, for `pegasusctl log`. Bounded: the oldest entries give way. One
// thread.
#pragma once

#include "policies/decision.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pegasus::monitor {

// One turn, written when it has ended.
struct TraceEntry {
  std::uint64_t number = 0;                             // counted by the ring, from 1
  policies::Time at{0};                                 // when the turn began
  std::string_view policy;                              // the registry's name of it, which lives for ever
  std::vector<policies::DomainId> domains;              // who ran, ordered by id; empty: idle
  policies::Nanos ran{0};                               // for how long
  policies::Nanos device_busy{0};                       // device time used, in total
  policies::Reason ended = policies::Reason::unchanged; // why it ended

  bool operator==(TraceEntry const&) const = default;
};

class TraceRing {
public:
  // Of this many domains an entry keeps the first: under a shared policy there may be hundreds.
  static constexpr std::size_t domains_kept = 64;

  explicit TraceRing(std::size_t capacity); // at least one entry

  void record(TraceEntry entry);
  // The newest `count` at most, oldest first.
  [[nodiscard]] std::vector<TraceEntry> last(std::size_t count) const;
  // All that were recorded after entry `number` and are still there, oldest first: for a reader that follows.
  [[nodiscard]] std::vector<TraceEntry> after(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t recorded() const { return recorded_; } // ever

private:
  std::size_t capacity_;
  std::uint64_t recorded_ = 0;
  std::vector<TraceEntry> entries_;
};

} // namespace pegasus::monitor
