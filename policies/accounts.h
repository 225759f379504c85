// SPDX-License-Identifier: Apache-2.0
// The accounts that a policy keeps, in the View's order: accounts[i] belongs to view.domains[i].
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pegasus::policies {

// Called when domains came or went. A domain that stays keeps its account; a new one gets the account that
// `enter` returns. `running` is a position.
template <class Account, class Enter>
void follow(View const& view, std::vector<Account>& accounts, std::optional<std::uint32_t>& running,
            Enter enter) {
  std::vector<Account> const before = std::exchange(accounts, {});
  Account const* const was_running = running ? &before[*running] : nullptr;
  running.reset();
  accounts.reserve(view.domains.size());
  auto known = before.begin();
  for (DomainView const& domain : view.domains) {
    known =
        std::find_if(known, before.end(), [&](Account const& account) { return account.id >= domain.id; });
    if (was_running != nullptr && was_running->id == domain.id)
      running = static_cast<std::uint32_t>(accounts.size());
    bool const stays = known != before.end() && known->id == domain.id;
    accounts.push_back(stays ? *known : enter(domain));
  }
}

// Visits the positions of the domains that changed since the last View, or all positions if
// the changes are not known.
template <class Each> void for_changed(View const& view, Each each) {
  if (view.changed)
    for (std::uint32_t const position : *view.changed)
      each(position);
  else
    for (std::uint32_t position = 0; position < view.domains.size(); ++position)
      each(position);
}

// Returns nullptr if the domain was not in the last View.
template <class Account>
[[nodiscard]] Account const* find(std::vector<Account> const& accounts, DomainId id) {
  auto const found = std::ranges::lower_bound(accounts, id, {}, &Account::id);
  return found == accounts.end() || found->id != id ? nullptr : &*found;
}

} // namespace pegasus::policies
