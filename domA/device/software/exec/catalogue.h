// SPDX-License-Identifier: Apache-2.0
// Handlers by name ("fma.ftz.f32"). The lane loops are compiled once per instruction set of the host; which
// set is used is decided at run time.
#pragma once

#include "domA/device/software/exec/code.h"

#include <cstddef>
#include <string_view>

namespace pegasus::software {

struct Entry {
  char const* key;
  Handler fn;
};
struct Table {
  Entry const* first;
  std::size_t count;
};

enum class Isa { best, avx512, avx2, baseline };

// Null when there is no such handler. An instruction set that this machine lacks falls back to the next lower
// one.
[[nodiscard]] Handler find_handler(std::string_view key, Isa isa = Isa::best);

#define PEGASUS_LANE_TABLES                                                                                  \
  Table integer_table();                                                                                     \
  Table bits_table();                                                                                        \
  Table compare_table();                                                                                     \
  Table float_table();                                                                                       \
  Table approx_table();                                                                                      \
  Table half_table();                                                                                        \
  Table convert_table();                                                                                     \
  Table move_table();                                                                                        \
  Table memory_table();                                                                                      \
  Table shuffle_table();
namespace avx512 {
PEGASUS_LANE_TABLES
}
namespace avx2 {
PEGASUS_LANE_TABLES
}
namespace baseline {
PEGASUS_LANE_TABLES
}
#undef PEGASUS_LANE_TABLES

} // namespace pegasus::software
