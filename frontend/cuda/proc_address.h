// SPDX-License-Identifier: Apache-2.0
// Which symbol a program means that asks for a function by its base name and a CUDA version.
#pragma once

#include <span>
#include <string_view>

namespace pegasus::driver {

struct ApiVersion {
  char const* name; // base name: cuCtxCreate
  int version;      // of CUDA when this variant came: 12050
  char const* symbol;
  char const* per_thread_symbol;
  void* function;
  void* per_thread_function;
};

struct ApiMatch {
  ApiVersion const* api = nullptr; // the newest variant not newer than the version asked for
  bool name_known = false;
};

std::span<const ApiVersion> api_versions(); // by name, then by version
ApiMatch find_api(std::string_view name, int version);

} // namespace pegasus::driver
