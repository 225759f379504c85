// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/handler_table.h"

#include "domA/device/software/exec/lanes/atomics.h"
#include "domA/device/software/exec/lanes/lane_tables.h"

#include <array>
#include <unordered_map>

namespace pegasus::software {

namespace {

using Index = std::unordered_map<std::string_view, Handler>;
using Tables = std::array<Table, 15>;

#define PEGASUS_ALL_TABLES(isa)                                                                              \
  Tables {                                                                                                   \
    isa::integer_table(), isa::bits_table(), isa::compare_table(), isa::float_table(), isa::approx_table(),  \
        isa::half_table(), isa::convert_table(), isa::move_table(), isa::memory_table(),                     \
        isa::shuffle_table(), isa::fragments_table(), isa::matrix_table(), isa::matrix_integer_table(),      \
        isa::bfloat_table(), atomic_table()                                                                  \
  }

Index index_of(Tables const& tables) {
  Index index;
  for (Table const& table : tables)
    for (std::size_t i = 0; i < table.count; ++i)
      index.emplace(table.first[i].key, table.first[i].fn);
  return index;
}

#if defined(__x86_64__)
Isa usable(Isa wanted) {
  bool const avx2_here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                         __builtin_cpu_supports("popcnt");
  bool const avx512_here = avx2_here && __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if ((wanted == Isa::best || wanted == Isa::avx512) && avx512_here) return Isa::avx512;
  if (wanted != Isa::baseline && avx2_here) return Isa::avx2;
  return Isa::baseline;
}

Index const& index_for(Isa wanted) {
  switch (usable(wanted)) {
  case Isa::avx512: {
    static Index const index = index_of(PEGASUS_ALL_TABLES(avx512));
    return index;
  }
  case Isa::avx2: {
    static Index const index = index_of(PEGASUS_ALL_TABLES(avx2));
    return index;
  }
  default: {
    static Index const index = index_of(PEGASUS_ALL_TABLES(baseline));
    return index;
  }
  }
}
#else
Index const& index_for(Isa) {
  static Index const index = index_of(PEGASUS_ALL_TABLES(baseline));
  return index;
}
#endif

} // namespace

Handler find_handler(std::string_view key, Isa isa) {
  Index const& index = index_for(isa);
  auto const it = index.find(key);
  return it == index.end() ? nullptr : it->second;
}

} // namespace pegasus::software
