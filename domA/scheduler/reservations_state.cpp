// SPDX-License-Identifier: Apache-2.0
// What of the reservations is saved, and how it comes back.
#include "domA/scheduler/records.h"
#include "domA/scheduler/reservations.h"
#include "domA/scheduler/token_bucket.h"

namespace pegasus::scheduler {

using token_bucket::deepest;

void Reservations::State::visit(policies::StateVisitor& state) {
  state.field("has_calls", has_calls);
  state.field("may_run", may_run);
  state.duration("used", used);
}

void Reservations::Bucket::visit(policies::StateVisitor& visitor) {
  visitor.field("part", part);
  visitor.field("level", level);
  visitor.field("idle", idle);
  visitor.duration("charged", charged);
  visitor.field("filled_at", filled_at);
  visitor.field("state", state);
  visitor.field("quiet_since", quiet_since);
  visitor.field("due_at", due_at);
  visitor.field("not_before", not_before);
  visitor.field("known", known);
  visitor.require(part >= token_bucket::least_part && part <= 1, "part");
  visitor.require(level >= -deepest && level <= deepest, "level");
}

void Reservations::visit(policies::StateVisitor& state, Records& records) {
  std::optional<policies::DomainId> chosen, leaving;
  if (chosen_ != nullptr) chosen = chosen_->id;
  if (leaving_ != nullptr) leaving = leaving_->id;
  state.field("chosen", chosen);
  state.field("leaving", leaving);
  state.field("given", given_);
  state.field("has_device_since", has_device_since_);
  if (!state.restoring()) return;
  chosen_ = chosen ? records.find(*chosen) : nullptr;
  if (chosen_ != nullptr && !chosen_->reservation) chosen_ = nullptr;
  state.require(!chosen || chosen_ != nullptr, "chosen");
  leaving_ = leaving ? records.find(*leaving) : nullptr;
  state.require(!leaving || leaving_ != nullptr, "leaving");
  for (auto& [id, domain] : records.domains())
    if (domain.reservation && domain.reservation->due_at) due_.insert(*domain.reservation->due_at, domain);
}

} // namespace pegasus::scheduler
