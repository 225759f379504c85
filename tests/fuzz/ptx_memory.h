// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics in every space: mostly in bounds, and where no other block writes.
#pragma once

#include "tests/fuzz/ptx_calls.h"

#include <span>

namespace pegasus::fuzz {

// The sizes of the variables that a module must have: .global `data`, .const `table`, .shared `tile`, and in
// each function .local `frame`. It must also have .extern .shared `dynamic`, and .global `counters`, in which
// all threads count. %own is the address of own_bytes bytes.
inline constexpr unsigned data_bytes = 256, table_bytes = 64, shared_bytes = 512, local_bytes = 96,
                          own_bytes = 128;

void write_access(PtxWriter&,
                  std::span<Parameter const> kernel_parameters); // y0, y1, ...; empty in a function
// Copies from global to shared memory, barriers as objects there, and lines of the cache.
void write_asynchronous(PtxWriter&);
void write_atomic(PtxWriter&);

} // namespace pegasus::fuzz
