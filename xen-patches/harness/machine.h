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

constexpr unsigned long first_mfn = 0x1000; // of the heap's allocation

struct Machine {
  s_time_t now = 0;
  std::vector<sched_resource*> resources; // by pCPU
  bool irqs_off = false;
  std::function<void()> on_wmb; // what a reader on another pCPU sees at a barrier can be looked at here

  bool out_of_memory = false;
  unsigned allocations = 0;
  std::byte* heap = nullptr; // nullptr: nothing is allocated
  unsigned heap_order = 0;
  std::vector<page_info> pages; // the heap's
};

extern Machine machine;

} // namespace harness
