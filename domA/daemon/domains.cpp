// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/domains.h"

#include "control/domain_name.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::daemon {

Domain* Domains::named(std::string_view name) {
  auto const found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

Domain* Domains::of_guest(std::uint32_t guest) {
  auto const found =
      std::ranges::find_if(by_name_, [guest](auto const& each) { return each.second.guest == guest; });
  return found == by_name_.end() ? nullptr : &found->second;
}

tl::expected<Domain*, std::string> Domains::add(std::string const& name) {
  if (full())
    return tl::unexpected(
        fmt::format("there are {} domains, the limit: remove one or end its programs", most));
  Domain& domain = by_name_[name];
  domain.id = next_++;
  domain.name = name;
  return &domain;
}

tl::expected<Domain*, std::string> Domains::add_guest(std::uint32_t guest, std::string const& wanted) {
  auto added = add(free_name(guest, wanted));
  if (added) {
    (*added)->guest = guest;
    (*added)->wanted_name = wanted;
  }
  return added;
}

std::string Domains::free_name(std::uint32_t guest, std::string const& wanted) const {
  std::string const name = control::valid_domain_name(wanted) ? wanted : fmt::format("dom{}", guest);
  return by_name_.contains(name) ? fmt::format("{}:{}", name, guest) : name;
}

void Domains::rename(Domain& guest, std::string const& wanted) {
  guest.wanted_name = wanted;
  auto entry = by_name_.extract(guest.name);
  guest.name = free_name(*guest.guest, wanted);
  entry.key() = guest.name;
  by_name_.insert(std::move(entry));
}

void Domains::erase(Domain const& domain) {
  by_name_.erase(by_name_.find(domain.name));
  std::vector<Domain*> waiting; // guests that wait for a name
  for (auto& [name, other] : by_name_)
    if (other.guest && name != other.wanted_name) waiting.push_back(&other);
  for (Domain* const guest : waiting)
    rename(*guest, guest->wanted_name);
}

} // namespace pegasus::daemon
