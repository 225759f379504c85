// SPDX-License-Identifier: Apache-2.0
// What a residency policy answers: in which slots of the accelerator's memory each domain's granules are. A slot that one
// domain has is that domain's own and is kept while others run. Slots that several have are the overlay: before a domain
// runs, what another left in its slots is copied out, and its own is copied in (holders.h).
#pragma once

#include "policies/ids.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::residency {

using policies::DomainId;

struct Extent {
  std::uint64_t first = 0; // slot
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t end() const { return first + count; }
  bool operator==(Extent const&) const = default;
};
using Place = std::vector<Extent>; // ascending, apart from each other, none of them empty

enum class Standing {
  placed,  // it may run once what it has in the overlay is copied in
  out,     // idle: what may be copied out leaves; it is placed again before it runs
  refused, // its memory does not fit beside what others keep: it cannot run
};

struct DomainPlan {
  DomainId id = 0;
  Standing standing = Standing::placed;
  // Granules, pinned or reserved. They are in no place, but behind the slots that are given out.
  std::uint64_t kept = 0;
  std::uint64_t own = 0;    // granules kept while others run: `kept`, and its slots that no other domain has
  std::uint64_t shared = 0; // granules in slots of the overlay
  Place place = {};         // the slots of all that is not `kept`

  bool operator==(DomainPlan const&) const = default;
};

struct Plan {
  std::uint64_t slots = 0;              // given out to places: the capacity without what is kept
  std::uint64_t overlay = 0;            // ... of these, the ones that several domains have
  std::vector<DomainPlan> domains = {}; // those of the View, in its order
  // When domains that have a place were last moved.
  std::optional<policies::Time> arranged_at = std::nullopt;
  // ... also when a domain comes, leaves or holds more or less.
  policies::Time ask_again{};

  bool operator==(Plan const&) const = default;
};

} // namespace pegasus::residency
