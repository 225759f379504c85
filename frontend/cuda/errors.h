// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/cuda/cuda_api.h"

namespace pegasus::driver {

struct ErrorText {
  CUresult value;
  char const* name;
  char const* text;
};

ErrorText const* error_text(CUresult value); // nullptr if there is no such code
bool is_sticky(CUresult value);              // the context is lost; every later call returns the same error

} // namespace pegasus::driver
