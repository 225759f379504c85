// SPDX-License-Identifier: Apache-2.0
// Which domains have calls, weighed by their credits: what one that keeps the device denies to the others.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace pegasus::scheduler {

class Demand {
public:
  void set(policies::DomainId domain, std::uint32_t credits, bool has_calls) {
    Entry& entry = domains_[domain];
    waiting_ -= entry.waiting();
    entry = {.credits = std::max(credits, policies::min_credits), .has_calls = has_calls};
    waiting_ += entry.waiting();
  }
  void forget(policies::DomainId domain) {
    if (auto const known = domains_.extract(domain)) waiting_ -= known.mapped().waiting();
  }
  [[nodiscard]] bool any() const { return waiting_ > 0; }
  // The credits of the other domains that have calls, over this one's; 0 if no other domain has calls.
  [[nodiscard]] double of_others(policies::DomainId domain) const {
    auto const found = domains_.find(domain);
    Entry const own = found == domains_.end() ? Entry{} : found->second;
    return static_cast<double>(waiting_ - own.waiting()) / own.credits;
  }

private:
  struct Entry {
    std::uint32_t credits = policies::min_credits;
    bool has_calls = false;
    [[nodiscard]] std::uint64_t waiting() const { return has_calls ? credits : 0; }
  };
  std::map<policies::DomainId, Entry> domains_;
  std::uint64_t waiting_ = 0; // the credits of all that have calls
};

} // namespace pegasus::scheduler
