// SPDX-License-Identifier: Apache-2.0
#include "policies/none.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

None::None(Tunables const& /*it has no ticks*/) {}

Decision None::decide(View const& view) {
  Decision decision;
  decision.until = decision.ask_again = view.now + review;
  decision.run.reserve(view.domains.size());
  for (DomainView const& domain : view.domains)
    if (domain.tasks > 0) decision.run.push_back(domain.id);

  if (decision.run.empty())
    decision.reason = Reason::idle;
  else if (!std::ranges::includes(run_, decision.run))
    decision.reason = Reason::arrival;
  else if (decision.run != run_)
    decision.reason = Reason::departure;
  run_ = decision.run;
  return decision;
}

} // namespace pegasus::policies
