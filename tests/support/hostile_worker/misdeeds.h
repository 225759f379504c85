// SPDX-License-Identifier: Apache-2.0
// What a worker does in its guest's hands, by name. From within the sandbox: one thread, memory, futexes, its
// bell and its standard error.
#pragma once

#include "tests/support/hostile_worker/shared_pages.h"

namespace pegasus::hostile {

struct Situation {
  std::vector<SharedPages> pages;
  std::uint32_t seat;
};

// Most never return. What does is called again before each call of the guest is executed.
using Misdeed = void (*)(Situation const&);

// Null: there is none of that name.
[[nodiscard]] Misdeed misdeed(std::string_view name);

} // namespace pegasus::hostile
