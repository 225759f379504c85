/* SPDX-License-Identifier: GPL-2.0-only */
// The machine around state.c. The shims' functions act on it; a test sets it up and checks it.
#pragma once

#include "xen-patches/harness/include/private.h"
#include "xen-patches/harness/include/xen/mm.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

namespace harness {

struct AssertFailed : std::logic_error {
  using logic_error::logic_error;
};

constexpr unsigned long first_mfn = 0x1000; // of the machine's pages
constexpr std::size_t pages_of_machine = 8;

struct Machine {
  s_time_t now = 0;
  std::vector<sched_resource*> resources; // by pCPU
  bool irqs_off = false;
  std::function<void()> on_wmb; // a test can check here what a reader on another pCPU sees

  std::function<void()> on_lock; // what other pCPUs do before a lock is taken

  unsigned pages_left = pages_of_machine; // then allocations fail
  bool no_space = false;                  // mappings fail
  bool no_small = false;                  // allocations of arrays fail
  unsigned allocations = 0;               // of pages, in total
  unsigned memflags = 0;                  // of the last allocation
  std::vector<page_info> pages{pages_of_machine};
  std::vector<bool> mapped = std::vector<bool>(pages_of_machine);
  unsigned arrays = 0; // not yet freed
};

std::byte* memory_of(std::size_t page);

extern Machine machine;

} // namespace harness
