// SPDX-License-Identifier: Apache-2.0
#include "policies/rr.h"

namespace pegasus::policies {

RoundRobin::RoundRobin(Tunables const& tunables) : turns_(tunables.tick) {}

Decision RoundRobin::decide(View const& view) {
  std::vector<TurnKeeper::Turn> queue; // a View is ordered by id already
  queue.reserve(view.domains.size());
  for (DomainView const& domain : view.domains)
    queue.push_back({&domain, turns_.tick()});
  return turns_.decide(view, queue);
}

} // namespace pegasus::policies
