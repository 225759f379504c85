/* SPDX-License-Identifier: GPL-2.0-only */
#include "xen-patches/harness/machine.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

using harness::machine;

harness::Machine harness::machine;
rcu_read_lock_t sched_res_rculock;

namespace {

constexpr std::size_t page_bytes = PAGE_SIZE;
alignas(PAGE_SIZE) std::byte memory[harness::pages_of_machine * page_bytes];
domain xen_itself{};

std::size_t page_at(void const* address) {
  auto const offset = static_cast<std::byte const*>(address) - memory;
  ASSERT(offset >= 0 && offset < std::ptrdiff_t(sizeof memory));
  auto const page = static_cast<std::size_t>(offset) / page_bytes;
  ASSERT(machine.mapped[page]);
  return page;
}
std::size_t number_of(page_info const* page) {
  ASSERT(page >= machine.pages.data() && page < machine.pages.data() + machine.pages.size() && page->owner);
  return static_cast<std::size_t>(page - machine.pages.data());
}

} // namespace

domain* dom_xen = &xen_itself;

std::byte* harness::memory_of(std::size_t page) { return memory + page * page_bytes; }

void harness_assert_failed(char const* what) { throw harness::AssertFailed(what); }

void harness_wmb() {
  std::atomic_thread_fence(std::memory_order_release);
  if (machine.on_wmb) machine.on_wmb();
}

s_time_t NOW() { return machine.now; }

unsigned domain_to_node(domain const* d) { return d->domain_id; } // any number that distinguishes domains

page_info* alloc_domheap_page(domain* d, unsigned memflags) {
  ASSERT(!machine.irqs_off);
  if (machine.pages_left == 0) return nullptr;
  --machine.pages_left;
  ++machine.allocations;
  machine.memflags = memflags;
  std::size_t page = 0;
  while (machine.pages[page].owner != nullptr)
    ++page;
  machine.pages[page] = {d, 1, true, {}};
  std::memset(harness::memory_of(page), 0xa5, page_bytes); // data of another owner
  return &machine.pages[page];
}

bool get_page(page_info* page, domain const* d) {
  if (page->owner != d) return false;
  ++page->references;
  return true;
}

// Where an assertion fails here or below, Xen would stop.
void put_page_alloc_ref(page_info* page) {
  (void)number_of(page);
  ASSERT(page->allocated && page->references > 1); // the caller has another reference
  page->allocated = false;
  put_page(page);
}

void put_page(page_info* page) {
  auto const number = number_of(page);
  if (--page->references > 0) return;
  ASSERT(!page->allocated && !machine.mapped[number] && page->u.inuse.type_info == 0);
  *page = {};
  ++machine.pages_left;
}

page_info* mfn_to_page(mfn_t mfn) { return &machine.pages[mfn.mfn - harness::first_mfn]; }

void* __map_domain_page_global(page_info const* page) {
  ASSERT(!machine.irqs_off);
  if (machine.no_space) return nullptr;
  machine.mapped[number_of(page)] = true;
  return harness::memory_of(number_of(page));
}
void unmap_domain_page_global(void const* address) { machine.mapped[page_at(address)] = false; }
mfn_t domain_page_map_to_mfn(void const* address) { return {harness::first_mfn + page_at(address)}; }
void clear_page(void* address) { std::memset(harness::memory_of(page_at(address)), 0, page_bytes); }

void* harness_zalloc(std::size_t size, std::size_t count) {
  ASSERT(!machine.irqs_off);
  if (machine.no_small) return nullptr;
  ++machine.arrays;
  return std::calloc(count, size);
}
void harness_free(void* array) {
  machine.arrays -= array != nullptr;
  std::free(array);
}

sched_resource* get_sched_res(unsigned cpu) {
  ASSERT(cpu < machine.resources.size());
  return machine.resources[cpu];
}

spinlock_t* pcpu_schedule_lock_irq(unsigned cpu) {
  ASSERT(sched_res_rculock.readers > 0 && !machine.irqs_off); // otherwise the resource may be freed
  if (machine.on_lock) machine.on_lock();
  spinlock_t* const lock = get_sched_res(cpu)->schedule_lock;
  machine.irqs_off = true;
  spin_lock(lock);
  return lock;
}

void pcpu_schedule_unlock_irq(spinlock_t* lock, unsigned cpu) {
  ASSERT(machine.irqs_off && lock == get_sched_res(cpu)->schedule_lock);
  spin_unlock(lock);
  machine.irqs_off = false;
}
