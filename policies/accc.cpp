// SPDX-License-Identifier: Apache-2.0
#include "policies/accc.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

std::uint32_t CreditSlices::credits_of(DomainView const& domain) const {
  return std::clamp(credits_(domain), min_credits, max_credits);
}

void CreditSlices::update(View const& view) {
  auto const in_queue = [this](DomainView const& domain) {
    return domain.tasks > 0 ? credits_of(domain) : 0;
  };
  if (view.changed) {
    for (std::uint32_t const position : *view.changed)
      note(position, in_queue(view.domains[position]));
    return;
  }
  queue_.clear();
  known_.assign(view.domains.size(), 0);
  for (std::uint32_t position = 0; position < view.domains.size(); ++position)
    note(position, in_queue(view.domains[position]));
}

void CreditSlices::note(std::uint32_t position, std::uint32_t credits) {
  std::uint32_t const before = std::exchange(known_[position], credits);
  if (before == credits) return;
  if (before != 0 && --queue_[before] == 0) queue_.erase(before);
  if (credits != 0) ++queue_[credits];
}

// RQA: ordered by X. Domains with equal credits are ordered by id, which keeps the order stable.
std::uint64_t CreditSlices::order(DomainView const& domain) const {
  return std::uint64_t{max_credits - credits_of(domain)} << 32 | domain.id;
}

Nanos CreditSlices::slice(DomainView const& domain) const {
  std::int64_t const x = credits_of(domain);
  std::int64_t const least = queue_.empty() ? x : std::min<std::int64_t>(queue_.begin()->first, x);
  std::int64_t const most = queue_.empty() ? x : std::max<std::int64_t>(queue_.rbegin()->first, x);
  return most <= max_slice_ticks * least ? tick_ * x / least : tick_ * max_slice_ticks * x / most;
}

Nanos CreditSlices::length(DomainView const& domain, bool fresh) const {
  return !domain.context_established || fresh ? tick_ : slice(domain);
}

AccCredit::AccCredit(Tunables const& tunables, Credits credits)
    : drr_(tunables, credits), rule_(drr_.tick(), credits) {}

Decision AccCredit::decide(View const& view) {
  rule_.update(view);
  return drr_.decide(view, rule_);
}

void CreditSlices::visit(StateVisitor& state) {
  state.field("credits", known_);
  state.require(state.per_domain(known_.size()), "credits");
  if (!state.restoring()) return;
  queue_.clear();
  for (std::uint32_t const credits : known_)
    if (credits != 0) ++queue_[credits];
  state.require(queue_.empty() || queue_.rbegin()->first <= max_credits, "credits");
}

} // namespace pegasus::policies
