// SPDX-License-Identifier: Apache-2.0
#include "policies/accc.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr std::uint32_t least_credits = 1;
constexpr std::uint32_t most_credits = 65535; // Xen's range of weights

} // namespace

AccCredit::AccCredit(Tunables const& tunables, Credits credits) : turns_(tunables.tick), credits_(credits) {}

// RQA: ordered by X; equal credits by id, so that the order is the same every time.
std::vector<AccCredit::Claim> AccCredit::run_queue(View const& view) const {
  std::vector<Claim> queue;
  queue.reserve(view.domains.size());
  for (DomainView const& domain : view.domains)
    queue.push_back({&domain, std::clamp(credits_(domain), least_credits, most_credits)});
  std::ranges::stable_sort(queue, std::ranges::greater{}, &Claim::credits);
  return queue;
}

Decision AccCredit::decide(View const& view) {
  const std::vector<Claim> queue = run_queue(view);
  std::vector<TurnKeeper::Turn> turns;
  turns.reserve(queue.size());
  for (auto const& [domain, credits] : queue) {
    const std::int64_t most = queue.front().credits;
    const std::int64_t least = queue.back().credits;
    const Nanos tm = most <= longest_turn_ticks * least ? turns_.tick() * credits / least
                                                        : turns_.tick() * longest_turn_ticks * credits / most;
    const bool established = domain->context_established && !turns_.is_new(domain->id);
    turns.push_back({domain, established ? tm : turns_.tick()});
  }
  return turns_.decide(view, turns);
}

} // namespace pegasus::policies
