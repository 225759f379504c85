// SPDX-License-Identifier: Apache-2.0
// Finds what changed from one View to the next, for code that makes Views.
#pragma once

#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::policies::testing {

class ViewChanges {
public:
  // Compares `now` with the domains of the previous call. The result is as View::changed,
  // valid until the next call.
  [[nodiscard]] std::optional<std::span<std::uint32_t const>> take(std::span<DomainView const> now) {
    changed_.clear();
    bool same_domains = now.size() == last_.size();
    for (std::uint32_t i = 0; same_domains && i < now.size(); ++i) {
      same_domains = now[i].id == last_[i].id;
      if (now[i] == last_[i]) continue;
      changed_.push_back(i);
      if (same_domains) last_[i] = now[i];
    }
    if (same_domains) return changed_;
    last_.assign(now.begin(), now.end());
    return std::nullopt;
  }
  void forget() { last_.clear(); } // the next View goes to another policy

private:
  std::vector<DomainView> last_;
  std::vector<std::uint32_t> changed_;
};

} // namespace pegasus::policies::testing
