// SPDX-License-Identifier: Apache-2.0
#include "policies/lead.h"

namespace pegasus::policies {

namespace {

// Less than closing one gate and opening another costs (tens of microseconds): such a change is for nothing.
constexpr Nanos min_switch_cost{std::chrono::microseconds(20)};

} // namespace

Decision Lead::decide(View const& view) {
  if (std::holds_alternative<std::monostate>(rule_)) choose_rule(view.switch_cost < min_switch_cost);
  if (auto* const together = std::get_if<SharedFairQueuing>(&rule_)) return together->decide(view);
  Decision decision = std::get<FairQueuing>(rule_).decide(view);
  decision.exclusive = true;
  return decision;
}

void Lead::choose_rule(bool together) {
  if (together) {
    rule_.emplace<SharedFairQueuing>(tunables_);
    return;
  }
  Tunables held = tunables_;
  held.hold = automatic_hold;
  held.interactive = 0; // every domain that waits for its calls is woken
  rule_.emplace<FairQueuing>(held);
}

Nanos Lead::debt(DomainId id) const {
  if (auto const* const together = std::get_if<SharedFairQueuing>(&rule_)) return together->debt(id);
  if (auto const* const one = std::get_if<FairQueuing>(&rule_)) return one->debt(id);
  return Nanos{0};
}

bool Lead::reads_schedule() const { return std::holds_alternative<FairQueuing>(rule_); }

void Lead::visit(StateVisitor& state) {
  std::optional<bool> together;
  if (!std::holds_alternative<std::monostate>(rule_))
    together = std::holds_alternative<SharedFairQueuing>(rule_);
  state.field("together", together);
  if (state.restoring() && together) choose_rule(*together);
  state.require(together || state.per_domain(0), "together");
  if (auto* const all = std::get_if<SharedFairQueuing>(&rule_)) state.field("rule", *all);
  if (auto* const one = std::get_if<FairQueuing>(&rule_)) state.field("rule", *one);
}

} // namespace pegasus::policies
