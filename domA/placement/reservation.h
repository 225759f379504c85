// SPDX-License-Identifier: Apache-2.0
// Whether what is reserved for a domain, its memory limit or its SLO, can be kept on one of the accelerators that it may
// use (Pegasus 6: admission control). Pure: numbers in, an answer out.
//
// The rule. A reservation is feasible on an accelerator if
//   memory: it is no more than what is free there, neither used nor reserved for a domain in use there;
//   SLO: its sum with those of the domains in use there is no more than 1.
// A domain is in use while it has tasks. A domain that waits comes after those that waited before it: their
// reservations count on each accelerator that they may use. No domain therefore overtakes another, however little
// it wants. A domain further back is admitted where all those before it would find room as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::placement {

struct Reservation {
  std::uint64_t memory = 0;                       // bytes; 0: none
  double slo = 0;                                 // part of an accelerator's time; 0: none
  std::optional<std::size_t> only = std::nullopt; // the accelerator that an operator chose; nullopt: any

  [[nodiscard]] bool any() const { return memory > 0 || slo > 0; }
  [[nodiscard]] bool may_use(std::size_t accelerator) const { return !only || *only == accelerator; }
};

struct Available {               // on an accelerator
  std::uint64_t memory = 0;      // bytes, in total
  std::uint64_t free_memory = 0; // ... neither used nor reserved
  double slo = 0;                // sum of the reserved parts
};

// For a domain that waits and comes first.
void reserve(std::span<Available> accelerators, Reservation const& reservation);

// The accelerators on which it can be kept; for an empty reservation, all that the domain may use.
[[nodiscard]] std::vector<std::size_t> feasible_on(std::span<Available const> accelerators,
                                                   Reservation const& reservation);

// True if it could be kept if no other domain were there.
[[nodiscard]] bool feasible_when_empty(std::span<Available const> accelerators,
                                       Reservation const& reservation);

// Sentences for users: what `domain` needs, and what is available instead, or what would fit.
[[nodiscard]] std::string busy_message(std::string_view domain, std::span<Available const> accelerators,
                                       Reservation const& reservation);
[[nodiscard]] std::string infeasible_message(std::string_view domain, std::span<Available const> accelerators,
                                             Reservation const& reservation);
// For a domain of which `free` bytes of its `share` are too few for a context on the accelerator.
[[nodiscard]] std::string no_context_message(std::string_view domain, std::uint64_t share, std::uint64_t free,
                                             std::uint64_t context);

} // namespace pegasus::placement
