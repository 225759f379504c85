// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pegasus::jit {

// A function of NVIDIA's library that this front end stands before, nullptr if it has none of that name.
[[nodiscard]] void* nvidia_function(char const* name);

// Calls it; `missing` is the answer if there is none.
template <class Function, class Result, class... Arguments>
[[nodiscard]] Result nvidia(char const* name, Result missing, Arguments... arguments) {
  auto* const function = reinterpret_cast<Function*>(nvidia_function(name));
  return function == nullptr ? missing : function(arguments...);
}

} // namespace pegasus::jit
