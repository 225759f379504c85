// SPDX-License-Identifier: Apache-2.0
// pegasusd's side of an accelerator's quotas: which domain has which slot, and each domain's
// limit. One thread.
#pragma once

#include "domA/device/memory/quota.h"

#include <map>

namespace pegasus::memory {

class QuotaBooks {
public:
  using DomainId = std::uint32_t;
  struct Share {
    std::uint64_t bytes = 0;
    bool pooled = false; // no own limit: shares the memory without a limit with all others of this kind
  };
  // The areas are zeroed, and must outlive this object.
  QuotaBooks(QuotaLimits& limits, shared::SlotPages& pages, std::uint64_t accelerator_bytes);

  // A worker of the domain will be in that slot; it has claimed nothing yet. slot < shared::slot_count, and free.
  void take(std::uint32_t slot, DomainId domain, Share share);
  void leave(std::uint32_t slot); // its worker is gone
  // For a domain that has a slot; other domains get their limit when they take one. A limit below the memory
  // in use stops new charges.
  void set(DomainId domain, Share share);

  [[nodiscard]] std::uint64_t used_bytes() const; // of the accelerator
  [[nodiscard]] std::uint64_t used_bytes(DomainId domain) const;
  // What a worker in that slot, which is taken, could charge now.
  [[nodiscard]] std::uint64_t free_bytes(std::uint32_t slot) const;
  // The upper bound of what the pooled domains count for together.
  [[nodiscard]] std::uint64_t pool_bytes() const { return limits_.pool_most_bytes; }

private:
  struct Place {
    std::uint32_t index; // of QuotaLimits::domain
    std::uint32_t slots; // the number of its slots
  };
  [[nodiscard]] std::uint32_t free_index() const;

  QuotaLimits& limits_;
  shared::SlotPages& pages_;
  std::map<DomainId, Place> places_;
};

} // namespace pegasus::memory
