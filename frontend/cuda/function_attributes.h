// SPDX-License-Identifier: Apache-2.0
// The common part of cuFunc* and cuKernel*.
#pragma once

#include "frontend/cuda/function.h"

namespace pegasus::driver {

CUresult get_attribute(Function const& function, CUfunction_attribute number, int& value);
CUresult set_attribute(Channel& channel, Function& function, CUfunction_attribute number, int value);
// Tells the worker again what the program has set: it has loaded the module anew.
CUresult restore_attributes(Channel& channel, Function const& function);
CUresult get_parameter(Function const& function, std::size_t index, std::size_t* offset, std::size_t* bytes);

} // namespace pegasus::driver
