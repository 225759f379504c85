// SPDX-License-Identifier: Apache-2.0
// The last decisions of the scheduler, for `pegasusctl log`. Bounded: new entries overwrite the
// oldest. One thread.
#pragma once

#include "policies/decision.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pegasus::monitor {

// One time slice, written when it ended.
struct TraceEntry {
  std::uint64_t number = 0;                             // counted by the ring, from 1
  policies::Time at{};                                  // when the time slice began
  std::string_view policy;                              // its name in the registry, a static string
  std::vector<policies::DomainId> domains;              // the domains that ran, ordered by id; empty: idle
  policies::Nanos ran{0};                               // for how long
  policies::Nanos device_busy{0};                       // device time used, in total
  policies::Reason ended = policies::Reason::unchanged; // why it ended

  bool operator==(TraceEntry const&) const = default;
};

class TraceRing {
public:
  // An entry keeps at most this many domains: a shared policy may run hundreds.
  static constexpr std::size_t domains_kept = 64;

  explicit TraceRing(std::size_t capacity); // at least one entry

  void record(TraceEntry entry);
  // As if so many entries had been recorded and forgotten: before the first one.
  void continue_after(std::uint64_t recorded) { before_ = recorded; }
  // At most the newest `count`, oldest first.
  [[nodiscard]] std::vector<TraceEntry> last(std::size_t count) const;
  // All entries recorded after entry `number` that are still there, oldest first: for a reader
  // that follows the log.
  [[nodiscard]] std::vector<TraceEntry> after(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t recorded() const { return before_ + recorded_; } // in total

private:
  std::size_t capacity_;
  std::uint64_t before_ = 0;
  std::uint64_t recorded_ = 0;
  std::vector<TraceEntry> entries_;
};

} // namespace pegasus::monitor
