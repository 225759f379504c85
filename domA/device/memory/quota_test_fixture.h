// SPDX-License-Identifier: Apache-2.0
// For tests: an accelerator's memory, and workers that use it.
#pragma once

#include "domA/device/memory/quota_books.h"

#include <memory>

namespace pegasus::memory::test {

struct QuotaMemory {
  explicit QuotaMemory(std::uint64_t bytes) : books(*limits, *pages, bytes) {}
  [[nodiscard]] Quota take(std::uint32_t slot, QuotaBooks::DomainId domain, QuotaBooks::Share share) {
    books.take(slot, domain, share);
    return {.limits = limits.get(), .pages = pages.get(), .own = &(*pages)[slot].claim, .slot = slot};
  }

  std::unique_ptr<QuotaLimits> limits = std::make_unique<QuotaLimits>();
  std::unique_ptr<shared::SlotPages> pages = std::make_unique<shared::SlotPages>();
  QuotaBooks books;
};

} // namespace pegasus::memory::test
