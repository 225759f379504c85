// SPDX-License-Identifier: Apache-2.0
// Which domains want the device, and so are denied it by one that keeps it. A domain that is barred (back_off.h) does not want it.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::scheduler {

class Demand {
public:
  void set(policies::DomainId domain, bool wants, policies::Time now) {
    Entry& entry = domains_[domain];
    if (entry.wants || wants) entry.wanted_at = now;
    if (wants && !entry.wants) ++waiting_;
    if (entry.wants && !wants) --waiting_;
    entry.wants = wants;
  }
  void forget(policies::DomainId domain) {
    if (auto const known = domains_.extract(domain); known && known.mapped().wants) --waiting_;
  }
  [[nodiscard]] bool any() const { return waiting_ > 0; }
  [[nodiscard]] bool of_others(policies::DomainId domain) const { return waiting_ > (wants(domain) ? 1 : 0); }
  // Whether all domains that want it are among these.
  [[nodiscard]] bool only(std::span<policies::DomainId const> domains) const {
    auto const among = std::ranges::count_if(domains, [this](policies::DomainId id) { return wants(id); });
    return static_cast<std::size_t>(among) == waiting_;
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
    bool wants = false;
    std::optional<policies::Time> wanted_at{}; // last, before `now`
  };
  [[nodiscard]] bool wants(policies::DomainId domain) const {
    auto const found = domains_.find(domain);
    return found != domains_.end() && found->second.wants;
  }

  std::map<policies::DomainId, Entry> domains_;
  std::size_t waiting_ = 0; // how many want it
};

} // namespace pegasus::scheduler
