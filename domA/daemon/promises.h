// SPDX-License-Identifier: Apache-2.0
// Whether what a domain was promised, a memory limit or an SLO, can be kept on one of the accelerators that
// it may use (Pegasus 6: admission control). Pure: numbers in, an answer out.
//
// The rule. A promise can be kept on an accelerator if
//   memory: it is no more than what is free there, neither used nor promised to a domain in use there;
//   SLO: with those of the domains in use there it adds up to no more than 1.
// A domain is in use while it has tasks. One that waits comes after those that waited before it: what they
// are to have counts as promised on each accelerator that they may use. So nobody overtakes, however little
// it wants; and who is behind is let in where all those before it would find room as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::daemon {

struct Promise {
  std::uint64_t memory = 0;                       // bytes; 0: none is promised
  double slo = 0;                                 // part of an accelerator's time; 0: none is promised
  std::optional<std::size_t> only = std::nullopt; // the accelerator that an operator chose; nothing: any

  [[nodiscard]] bool any() const { return memory > 0 || slo > 0; }
  [[nodiscard]] bool may_use(std::size_t accelerator) const { return !only || *only == accelerator; }
};

struct Room {                    // of an accelerator
  std::uint64_t memory = 0;      // bytes that it has
  std::uint64_t free_memory = 0; // ... and that are neither used nor promised
  double slo = 0;                // the sum of what is promised
};

// For one that waits and comes first.
void set_aside(std::span<Room> rooms, Promise const& promise);

// The accelerators on which the promise can be kept; of no promise, all that the domain may use.
[[nodiscard]] std::vector<std::size_t> where_kept(std::span<const Room> rooms, Promise const& promise);

// Whether it could be kept if nobody else were there.
[[nodiscard]] bool ever_kept(std::span<const Room> rooms, Promise const& promise);

// For users: what `domain` is to have and what there is instead, for a promise that cannot be kept now, and
// what would fit, for one that never can.
[[nodiscard]] std::string not_now(std::string_view domain, std::span<const Room> rooms,
                                  Promise const& promise);
[[nodiscard]] std::string never(std::string_view domain, std::span<const Room> rooms, Promise const& promise);

} // namespace pegasus::daemon
