// SPDX-License-Identifier: Apache-2.0
// pegasusd's side of an accelerator's quotas: who sits where, and what each domain may take. One thread.
#pragma once

#include "domA/device/shared/quota.h"

#include <map>

namespace pegasus::shared {

class QuotaBooks {
public:
  using DomainId = std::uint32_t;
  struct Share {
    std::uint64_t bytes = 0;
    bool pooled = false; // what no limit leaves, together with all others of this kind
  };
  // Zeroed areas, which outlive it.
  QuotaBooks(QuotaLimits& limits, QuotaClaims& claims, std::uint64_t accelerator_bytes);

  // A worker of the domain will be in that seat, with nothing claimed yet. seat < seat_count, and free.
  void take(std::uint32_t seat, DomainId domain, Share share);
  void leave(std::uint32_t seat); // its worker is gone
  // Of a domain that has a seat; others are told when they take one. Below what is used it stops new charges.
  void set(DomainId domain, Share share);

  [[nodiscard]] std::uint64_t used_bytes() const; // of the accelerator
  [[nodiscard]] std::uint64_t used_bytes(DomainId domain) const;
  // The most that the pooled domains' use counts for together.
  [[nodiscard]] std::uint64_t pool_bytes() const { return limits_.pool_most_bytes; }

private:
  struct Place {
    std::uint32_t index; // of QuotaLimits::domain
    std::uint32_t seats; // that it has
  };
  [[nodiscard]] std::uint32_t free_index() const;

  QuotaLimits& limits_;
  QuotaClaims& claims_;
  std::map<DomainId, Place> places_;
};

} // namespace pegasus::shared
