// SPDX-License-Identifier: Apache-2.0
// atom and red, PTX ISA 9.7.13.5 and 9.7.13.6: "atom.add.u32" and so on.
#pragma once

#include "domA/device/software/exec/lanes/lane_tables.h"

namespace pegasus::software {

[[nodiscard]] Table atomic_table();

} // namespace pegasus::software
