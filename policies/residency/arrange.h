// SPDX-License-Identifier: Apache-2.0
// Asks a residency policy. What holds of every one of them is decided here: the capacity, what is pinned and reserved,
// who is idle and who does not fit; the policy places the rest.
//
// The same View gives the same Plan; nothing is kept between calls. The caller hands what it carried out back with the
// next View (DomainView::place, View::arranged_at), asks at Plan::ask_again, and when a domain comes, leaves, begins or
// ceases to be idle, or holds more or less; the last also costs the domain its place.
//
//  1. What is pinned stays. If that alone exceeds the capacity, domains with higher ids are refused.
//  2. Then reservations are kept, of what a domain holds, at most of its `reserved`. One that does not fit beside those of
//     lower ids is not kept, and its domain is refused: admission must not let that happen.
//  3. A domain that is idle has no place, one that needs more slots than are left is refused.
#pragma once

#include "policies/residency/registry.h"
#include "policies/residency/view.h"

namespace pegasus::residency {

[[nodiscard]] Plan arrange(Entry const& policy, View const& view, Tunables const& tunables = {});

} // namespace pegasus::residency
