// SPDX-License-Identifier: Apache-2.0
// A launch that has all the time that it takes.
#pragma once

#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

namespace pegasus::software::test {

struct Shape {
  device::Dim3 grid{1, 1, 1};
  device::Dim3 block{1, 1, 1};
  std::uint32_t shared = 0;
  bool cooperative = false;
};

inline Status run_once(Fixture& f, device::Module& module, std::string_view name,
                       std::vector<std::uint64_t> const& arguments, Shape const& shape = {}) {
  auto* const function = module.function(name);
  REQUIRE(function != nullptr);
  auto const bytes = pack(arguments);
  return f.context->launch(nullptr, *function,
                           {shape.grid, shape.block, shape.shared, shape.cooperative, bytes},
                           pegasus::testing::EndlessSlice());
}

} // namespace pegasus::software::test
