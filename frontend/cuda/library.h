// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/cuda/module.h"

namespace pegasus::driver {

struct Library {
  using Handle = CUlibrary;
  static constexpr Kind kind = Kind::library;

  CUlibrary handle = nullptr;
  Module* module = nullptr; // owned through its handle: destroy(channel, *module)
};

} // namespace pegasus::driver
