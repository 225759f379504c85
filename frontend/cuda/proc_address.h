// SPDX-License-Identifier: Apache-2.0
// Finds the symbol for a function that a program requests by base name and CUDA version.
#pragma once

#include <span>
#include <string_view>

namespace pegasus::driver {

struct ApiVersion {
  char const* name; // base name: cuCtxCreate
  int version;      // the CUDA version that introduced this variant: 12050
  char const* symbol;
  char const* per_thread_symbol;
  void* function;
  void* per_thread_function;
};

struct ApiMatch {
  ApiVersion const* api = nullptr; // the newest variant that is not newer than the requested version
  bool name_known = false;
};

std::span<ApiVersion const> api_versions(); // by name, then by version
ApiMatch find_api(std::string_view name, int version);

} // namespace pegasus::driver
