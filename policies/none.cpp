// SPDX-License-Identifier: Apache-2.0
#include "policies/none.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

None::None(Tunables const& /*it has no ticks*/) {}

Decision None::decide(View const& view) {
  Decision decision;
  decision.until = decision.ask_again = view.now + review;
  if (!same_domains(view)) decision.reason = look_at_all(view);
  if (run_.empty()) decision.reason = Reason::idle;
  decision.run = run_;
  return decision;
}

bool None::same_domains(View const& view) const {
  return view.changed && std::ranges::all_of(*view.changed, [&](std::uint32_t position) {
           DomainView const& domain = view.domains[position];
           return (domain.tasks > 0) == std::ranges::binary_search(run_, domain.id);
         });
}

Reason None::look_at_all(View const& view) {
  std::vector<DomainId> const before = std::exchange(run_, {});
  run_.reserve(view.domains.size());
  for (DomainView const& domain : view.domains)
    if (domain.tasks > 0) run_.push_back(domain.id);
  if (!std::ranges::includes(before, run_)) return Reason::arrival;
  return run_ == before ? Reason::unchanged : Reason::departure;
}

} // namespace pegasus::policies
