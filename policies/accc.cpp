// SPDX-License-Identifier: Apache-2.0
#include "policies/accc.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr std::uint32_t least_credits = 1;
constexpr std::uint32_t most_credits = 65535; // Xen's range of weights

struct Claim {
  DomainView const* domain;
  std::int64_t credits; // X
};

// RQA: ordered by X; equal credits by id, so that the order is the same every time.
std::vector<Claim> run_queue(View const& view, Credits credits) {
  std::vector<Claim> queue;
  queue.reserve(view.domains.size());
  for (DomainView const& domain : view.domains)
    queue.push_back({&domain, std::clamp(credits(domain), least_credits, most_credits)});
  std::ranges::stable_sort(queue, std::ranges::greater{}, &Claim::credits);
  return queue;
}

} // namespace

std::vector<TurnKeeper::Turn> credit_turns(View const& view, Nanos tick, Credits credits) {
  const std::vector<Claim> queue = run_queue(view, credits);
  std::vector<TurnKeeper::Turn> turns;
  turns.reserve(queue.size());
  const auto present = [](Claim const& claim) { return claim.domain->tasks > 0; };
  const auto first = std::ranges::find_if(queue, present);
  const auto last = std::ranges::find_if(queue.rbegin(), queue.rend(), present);
  for (auto const& [domain, x] : queue) {
    const std::int64_t most = first == queue.end() ? x : std::max(first->credits, x);
    const std::int64_t least = first == queue.end() ? x : std::min(last->credits, x);
    turns.push_back({domain, most <= longest_turn_ticks * least ? tick * x / least
                                                                : tick * longest_turn_ticks * x / most});
  }
  return turns;
}

void shorten_for_newcomers(std::vector<TurnKeeper::Turn>& turns, TurnKeeper const& keeper) {
  for (auto& [domain, length] : turns)
    if (!domain->context_established || keeper.is_new(domain->id)) length = keeper.tick();
}

AccCredit::AccCredit(Tunables const& tunables, Credits credits) : turns_(tunables.tick), credits_(credits) {}

Decision AccCredit::decide(View const& view) {
  std::vector<TurnKeeper::Turn> turns = credit_turns(view, turns_.tick(), credits_);
  shorten_for_newcomers(turns, turns_);
  return turns_.decide(view, turns);
}

} // namespace pegasus::policies
