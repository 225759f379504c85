// SPDX-License-Identifier: Apache-2.0
// The tables of handlers, one set for each instruction set of the host. handler_table.h finds
// handlers in them.
#pragma once

#include "domA/device/software/exec/op.h"

#include <cstddef>

namespace pegasus::software {

struct Entry {
  char const* key;
  Handler fn;
};
struct Table {
  Entry const* first;
  std::size_t count;
};

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
  Table shuffle_table();                                                                                     \
  Table fragments_table();                                                                                   \
  Table matrix_table();                                                                                      \
  Table matrix_integer_table();                                                                              \
  Table bfloat_table();
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
