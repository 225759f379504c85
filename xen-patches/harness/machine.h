/* SPDX-License-Identifier: GPL-2.0-only */
// The machine around state.c: the shims' functions act on it, a test sets it up and looks at it.
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
  std::function<void()> on_wmb; // what a reader on another pCPU sees at a barrier can be looked at here

  std::function<void()> on_lock; // what others do before a lock is taken

  unsigned pages_left = pages_of_machine; // more are out of memory
  bool no_space = false;                  // for mappings
  bool no_small = false;                  // for arrays
  unsigned allocations = 0;               // of pages, ever
  unsigned memflags = 0;                  // of the last one
  std::vector<page_info> pages{pages_of_machine};
  std::vector<bool> mapped = std::vector<bool>(pages_of_machine);
  unsigned arrays = 0; // that are not given back
};

std::byte* memory_of(std::size_t page);

extern Machine machine;

} // namespace harness
