// SPDX-License-Identifier: Apache-2.0
// What policies keep of each domain, in the View's order: the account at a position is of the domain there.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pegasus::policies {

// Domains came or went: those that stay keep their account, who comes has the one that `enter` makes.
// `running` is a position.
template <class Account, class Enter>
void follow(View const& view, std::vector<Account>& accounts, std::optional<std::uint32_t>& running,
            Enter enter) {
  const std::vector<Account> before = std::exchange(accounts, {});
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

// The positions of the domains that changed since the last View; of all when that is not known.
template <class Each> void for_changed(View const& view, Each each) {
  if (view.changed)
    for (const std::uint32_t position : *view.changed)
      each(position);
  else
    for (std::uint32_t position = 0; position < view.domains.size(); ++position)
      each(position);
}

// nullptr: it was not in the last View.
template <class Account>
[[nodiscard]] Account const* find(std::vector<Account> const& accounts, DomainId id) {
  auto const found = std::ranges::lower_bound(accounts, id, {}, &Account::id);
  return found == accounts.end() || found->id != id ? nullptr : &*found;
}

} // namespace pegasus::policies
