// SPDX-License-Identifier: Apache-2.0
// Statements that are not arithmetic, memory or control flow: special registers, vectors of registers, the
// driver's functions, and what no compiler generates.
#pragma once

#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

void write_special(PtxWriter&);
void write_system_call(PtxWriter&); // printf, malloc, free, sleep, fences
void write_hostile(PtxWriter&, bool has_functions);

} // namespace pegasus::fuzz
