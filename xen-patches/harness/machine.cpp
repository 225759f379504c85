/* SPDX-License-Identifier: GPL-2.0-only */
#include "xen-patches/harness/machine.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

using harness::machine;

harness::Machine harness::machine;
rcu_read_lock_t sched_res_rculock;

namespace {

std::size_t bytes_of(unsigned order) { return static_cast<std::size_t>(PAGE_SIZE) << order; }

std::size_t page_of(void const* address) {
  auto const offset = static_cast<std::byte const*>(address) - machine.heap;
  ASSERT(machine.heap && offset >= 0 && offset < std::ptrdiff_t(bytes_of(machine.heap_order)));
  return static_cast<std::size_t>(offset) >> PAGE_SHIFT;
}

} // namespace

void harness_assert_failed(char const* what) { throw harness::AssertFailed(what); }

void harness_wmb() {
  std::atomic_thread_fence(std::memory_order_release);
  if (machine.on_wmb) machine.on_wmb();
}

s_time_t NOW() { return machine.now; }

void* alloc_xenheap_pages(unsigned order, unsigned) {
  ASSERT(!machine.irqs_off && !machine.heap);
  if (machine.out_of_memory) return nullptr;
  ++machine.allocations;
  machine.heap = static_cast<std::byte*>(std::aligned_alloc(PAGE_SIZE, bytes_of(order)));
  machine.heap_order = order;
  machine.pages.assign(std::size_t{1} << order, {});
  std::memset(machine.heap, 0xa5, bytes_of(order)); // of another owner
  return machine.heap;
}

void free_xenheap_pages(void* pages, unsigned order) {
  if (!pages) return;
  ASSERT(!machine.irqs_off && pages == machine.heap && order == machine.heap_order);
  std::free(pages);
  machine.heap = nullptr;
  machine.pages.clear();
}

page_info* virt_to_page(void const* address) { return &machine.pages[page_of(address)]; }
unsigned long virt_to_mfn(void const* address) { return harness::first_mfn + page_of(address); }

void share_xen_page_with_guest(page_info* page, domain* d, XENSHARE_flags flags) {
  ASSERT(page >= machine.pages.data() && page < machine.pages.data() + machine.pages.size() && !page->owner);
  *page = {d, flags};
}

sched_resource* get_sched_res(unsigned cpu) {
  ASSERT(cpu < machine.resources.size());
  return machine.resources[cpu];
}

spinlock_t* unit_schedule_lock_irqsave(sched_unit const* unit, unsigned long* flags) {
  ASSERT(sched_res_rculock.readers > 0); // or the resource may go
  spinlock_t* const lock = get_sched_res(unit->res->master_cpu)->schedule_lock;
  *flags = machine.irqs_off;
  machine.irqs_off = true;
  spin_lock(lock);
  return lock;
}

void unit_schedule_unlock_irqrestore(spinlock_t* lock, unsigned long flags, sched_unit const* unit) {
  ASSERT(machine.irqs_off && lock == get_sched_res(unit->res->master_cpu)->schedule_lock);
  spin_unlock(lock);
  machine.irqs_off = flags != 0;
}
