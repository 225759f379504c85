// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/lane_loops.h"

#include "domA/device/software/exec/lanes/lane_tables.h"
#include "tests/fuzz/require.h"

#include <array>
#include <unordered_map>

namespace pegasus::fuzz {
namespace {

using software::Handler;
using software::Isa;
using Counterparts = std::unordered_map<Handler, Handler>;

Counterparts counterparts_in(Isa isa) {
  using namespace software::baseline;
  Counterparts counterparts;
  for (software::Table const& table :
       std::array{integer_table(), bits_table(), compare_table(), float_table(), approx_table(), half_table(),
                  convert_table(), move_table(), memory_table(), shuffle_table()})
    for (std::size_t i = 0; i < table.count; ++i) {
      char const* const key = table.first[i].key;
      Handler const other = software::find_handler(key, isa);
      require(other != nullptr);
      counterparts.emplace(software::find_handler(key, Isa::baseline), other);
    }
  return counterparts;
}

Counterparts const& counterparts(Isa isa) {
  static Counterparts const best = counterparts_in(Isa::best), avx2 = counterparts_in(Isa::avx2);
  return isa == Isa::avx2 ? avx2 : best;
}

} // namespace

void use_lane_loops(software::Kernel& of_baseline, Isa isa) {
  Counterparts const& others = counterparts(isa);
  for (auto const& function : of_baseline.functions)
    for (software::Op& op : function->ops)
      for (Handler* const handler : {&op.fn, &op.body})
        if (auto const other = others.find(*handler); other != others.end()) *handler = other->second;
}

} // namespace pegasus::fuzz
