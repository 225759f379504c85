// SPDX-License-Identifier: Apache-2.0
// Whether what a domain was promised, a memory limit or an SLO, can be kept on one of the accelerators that
// it may use (Pegasus 6: admission control). Pure: numbers in, an answer out.
//
// The rule. A promise can be kept on an accelerator if
//   memory: it is no more than what is free there, neither used nor promised to a domain in use there;
//   SLO: its sum with those of the domains in use there is no more than 1.
// A domain is in use while it has tasks. A domain that waits comes after those that waited before it: their
// promises count on each accelerator that they may use. No domain therefore overtakes another, however little
// it wants. A domain further back is admitted where all those before it would find room as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::daemon {

struct Promise {
  std::uint64_t memory = 0;                       // bytes; 0: none promised
  double slo = 0;                                 // part of an accelerator's time; 0: none promised
  std::optional<std::size_t> only = std::nullopt; // the accelerator that an operator chose; nullopt: any

  [[nodiscard]] bool any() const { return memory > 0 || slo > 0; }
  [[nodiscard]] bool may_use(std::size_t accelerator) const { return !only || *only == accelerator; }
};

struct Capacity {                // on an accelerator
  std::uint64_t memory = 0;      // bytes, in total
  std::uint64_t free_memory = 0; // ... neither used nor promised
  double slo = 0;                // sum of the promised parts
};

// For a promise that waits and comes first.
void set_aside(std::span<Capacity> capacities, Promise const& promise);

// The accelerators on which the promise can be kept; for an empty promise, all that the domain may use.
[[nodiscard]] std::vector<std::size_t> where_kept(std::span<Capacity const> capacities,
                                                  Promise const& promise);

// True if it could be kept if no other domain were there.
[[nodiscard]] bool ever_kept(std::span<Capacity const> capacities, Promise const& promise);

// Texts for users: not_now() says what `domain` is promised and what is available instead;
// never() says what would fit.
[[nodiscard]] std::string not_now(std::string_view domain, std::span<Capacity const> capacities,
                                  Promise const& promise);
[[nodiscard]] std::string never(std::string_view domain, std::span<Capacity const> capacities,
                                Promise const& promise);
// For a domain of which `free` bytes of its `share` are too few for a context on the accelerator.
[[nodiscard]] std::string no_room_for_context(std::string_view domain, std::uint64_t share,
                                              std::uint64_t free, std::uint64_t context);

} // namespace pegasus::daemon
