// SPDX-License-Identifier: Apache-2.0
// Honest and hostile workers use device memory. A hostile worker may claim any number of bytes at any time.
// Honest workers get exactly what is left of their domain's limit, or of the pool of domains without a limit.
// Promised memory is available whatever other workers claim, and no memory is charged when all have left.
//
// Input: a byte for what happens, a byte for the slot, then the operands.
#include "domA/device/memory/quota_books.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <array>

namespace {

using namespace pegasus::memory;
using pegasus::fuzz::require;

constexpr std::uint64_t accelerator_bytes = 1000;
constexpr std::uint32_t slots = 16;

// The promises and the pool add up to accelerator_bytes. A limit is never above `base`.
struct Domain {
  std::uint64_t base;
  bool pooled, hostile;
  std::uint64_t limit = base;
};
constexpr std::array<Domain, 6> domains_at_first{{{.base = 100, .pooled = false, .hostile = false},
                                                  {.base = 150, .pooled = false, .hostile = true},
                                                  {.base = 200, .pooled = false, .hostile = false},
                                                  {.base = 150, .pooled = false, .hostile = true},
                                                  {.base = 400, .pooled = true, .hostile = false},
                                                  {.base = 400, .pooled = true, .hostile = true}}};

// All zero at first, as the kernel provides them. Claims are zero again when all workers have left.
struct Areas {
  QuotaLimits limits;
  pegasus::shared::SlotPages pages;
};
Areas areas;

class Accelerator {
public:
  void step(pegasus::fuzz::Input& input) {
    auto const what = input.take<std::uint8_t>();
    std::uint32_t const slot = input.take<std::uint8_t>() % slots;
    Slot& its = slots_[slot];
    switch (what % 6) {
    case 0:
      if (!its.taken) sit(slot, input.take<std::uint8_t>() % domains_.size());
      break;
    case 1:
      if (its.taken) leave(slot);
      break;
    case 2:
      set(input.take<std::uint8_t>() % domains_.size(), input.take<std::uint16_t>());
      break;
    case 3:
      if (its.taken && !domains_[its.domain].hostile) charge(slot, input.take<std::uint16_t>() % 512);
      break;
    case 4:
      if (its.taken && !domains_[its.domain].hostile) release(slot, input.take<std::uint16_t>() % 512);
      break;
    default:
      if (its.taken && domains_[its.domain].hostile)
        areas.pages[slot].claim.bytes = input.take<std::uint64_t>();
    }
    if (its.taken) check(slot);
  }
  void end() {
    for (std::size_t i = 0; i < domains_.size(); ++i)
      check_use(i);
    for (std::uint32_t slot = 0; slot < slots; ++slot)
      if (slots_[slot].taken) leave(slot);
    require(books_.used_bytes() == 0);
  }

private:
  struct Slot {
    bool taken = false;
    std::size_t domain = 0;
    std::uint64_t held = 0;
  };

  static QuotaBooks::DomainId id(std::size_t domain) { return static_cast<QuotaBooks::DomainId>(domain) + 1; }
  [[nodiscard]] static Quota quota(std::uint32_t slot) {
    return {.limits = &areas.limits, .pages = &areas.pages, .own = &areas.pages[slot].claim, .slot = slot};
  }
  [[nodiscard]] std::uint64_t held(std::size_t domain) const {
    std::uint64_t sum = 0;
    for (Slot const& slot : slots_)
      if (slot.taken && slot.domain == domain) sum += slot.held;
    return sum;
  }

  void sit(std::uint32_t slot, std::size_t domain) {
    slots_[slot] = {.taken = true, .domain = domain};
    books_.take(slot, id(domain), {domains_[domain].limit, domains_[domain].pooled});
  }
  void leave(std::uint32_t slot) {
    books_.leave(slot);
    slots_[slot] = {};
  }
  // All domains in the pool have the same limit, the pool's size.
  void set(std::size_t domain, std::uint64_t bytes) {
    for (std::size_t i = 0; i < domains_.size(); ++i)
      if (i == domain || (domains_[i].pooled && domains_[domain].pooled)) {
        domains_[i].limit = std::min(bytes, domains_[i].base);
        books_.set(id(i), {domains_[i].limit, domains_[i].pooled});
      }
  }
  void charge(std::uint32_t slot, std::uint64_t bytes) {
    Slot& its = slots_[slot];
    Domain const& domain = domains_[its.domain];
    bool const fits = held(its.domain) + bytes <= domain.limit;
    bool const given = quota(slot).charge(bytes);
    require(!given || fits);
    require(given || !fits || domain.pooled); // other domains may have claimed the rest of a pool
    if (given) its.held += bytes;
  }
  void release(std::uint32_t slot, std::uint64_t bytes) {
    quota(slot).release(bytes);
    slots_[slot].held -= std::min(bytes, slots_[slot].held);
  }
  void check(std::uint32_t slot) const {
    std::size_t const domain = slots_[slot].domain;
    require(quota(slot).free_bytes() <= domains_[domain].limit);
    require(quota(slot).total_bytes() == domains_[domain].limit);
    check_use(domain);
  }
  void check_use(std::size_t domain) const {
    std::uint64_t const used = books_.used_bytes(id(domain));
    require(domains_[domain].hostile ? used <= domains_[domain].base : used == held(domain));
    require(books_.used_bytes() <= accelerator_bytes);
  }

  QuotaBooks books_{areas.limits, areas.pages, accelerator_bytes};
  std::array<Domain, domains_at_first.size()> domains_ = domains_at_first;
  std::array<Slot, slots> slots_{};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t max_steps = 256;
  pegasus::fuzz::Input input(data, size);
  Accelerator accelerator;
  for (std::size_t step = 0; step < max_steps && !input.empty(); ++step)
    accelerator.step(input);
  accelerator.end();
  return 0;
}
