// SPDX-License-Identifier: Apache-2.0
// Whose granules are in the slots now. It says what a change of the device's owner copies under a Plan.
#pragma once

#include "policies/residency/plan.h"

#include <cstdint>
#include <map>
#include <optional>

namespace pegasus::residency {

struct Copies { // granules
  std::uint64_t in = 0;
  std::uint64_t out = 0; // of others, which were in these slots

  bool operator==(Copies const&) const = default;
};

class Holders {
public:
  // The domain is to run: its granules come into all slots of its place.
  Copies take(DomainId domain, Place const& place);
  // It left, or its place changed: none of its granules are where the Plan has them.
  void forget(DomainId domain);

private:
  void split(std::uint64_t slot);

  // From this slot to the next key's; nullopt: nobody's.
  std::map<std::uint64_t, std::optional<DomainId>> from_{{0, std::nullopt}};
};

} // namespace pegasus::residency
