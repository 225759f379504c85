// SPDX-License-Identifier: Apache-2.0
// Which domains want the device, weighed by their credits: what one that keeps the device denies to the
// others. A domain that is barred (back_off.h) does not want it.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::scheduler {

class Demand {
public:
  void set(policies::DomainId domain, std::uint32_t credits, bool wants, policies::Time now) {
    Entry& entry = domains_[domain];
    waiting_ -= entry.waiting();
    entry.credits = std::max(credits, policies::min_credits);
    if (entry.wants || wants) entry.wanted_at = now;
    entry.wants = wants;
    waiting_ += entry.waiting();
  }
  void forget(policies::DomainId domain) {
    if (auto const known = domains_.extract(domain)) waiting_ -= known.mapped().waiting();
  }
  [[nodiscard]] bool any() const { return waiting_ > 0; }
  // The credits of the other domains that want the device, over this one's; 0 if no other does.
  [[nodiscard]] double of_others(policies::DomainId domain) const {
    auto const found = domains_.find(domain);
    Entry const own = found == domains_.end() ? Entry{} : found->second;
    return static_cast<double>(waiting_ - own.waiting()) / own.credits;
  }
  // Whether all domains that want it are among these.
  [[nodiscard]] bool only(std::span<policies::DomainId const> domains) const {
    std::uint64_t among = 0;
    for (policies::DomainId const domain : domains)
      if (auto const found = domains_.find(domain); found != domains_.end()) among += found->second.waiting();
    return among == waiting_;
  }
  // The other domains that want the device now.
  [[nodiscard]] std::vector<policies::DomainId> others(policies::DomainId domain) const {
    std::vector<policies::DomainId> ids;
    for (auto const& [id, entry] : domains_)
      if (entry.wants && id != domain) ids.push_back(id);
    return ids;
  }
  // When the domain last wanted the device; nullopt if it never did, or is forgotten.
  [[nodiscard]] std::optional<policies::Time> wanted_at(policies::DomainId domain, policies::Time now) const {
    auto const found = domains_.find(domain);
    if (found == domains_.end()) return std::nullopt;
    return found->second.wants ? now : found->second.wanted_at;
  }

private:
  struct Entry {
    std::uint32_t credits = policies::min_credits;
    bool wants = false;
    std::optional<policies::Time> wanted_at{}; // last, before `now`
    [[nodiscard]] std::uint64_t waiting() const { return wants ? credits : 0; }
  };
  std::map<policies::DomainId, Entry> domains_;
  std::uint64_t waiting_ = 0; // the credits of all that want it
};

} // namespace pegasus::scheduler
