// SPDX-License-Identifier: Apache-2.0
// Attacks by a worker that its guest controls, by name. They run within the sandbox: one thread, memory,
// futexes, its eventfd and its standard error.
#pragma once

#include "tests/support/hostile_worker/shared_pages.h"

namespace pegasus::hostile {

struct Situation {
  std::vector<SharedPages> pages;
  std::uint32_t slot;
};

// Most never return. Those that do are called again before each call of the guest is executed.
using Misdeed = void (*)(Situation const&);

// Returns nullptr if there is none of that name.
[[nodiscard]] Misdeed misdeed(std::string_view name);

} // namespace pegasus::hostile
