// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own runtime asks the driver for undocumented tables. They do not exist here: the program is told
// which library to link instead.
#include "frontend/cuda/driver.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <string_view>

namespace {

// They ask for the runtime's tables, but do without them: NVIDIA's compilers, and its library for monitoring.
constexpr std::array<std::string_view, 3> content = {"libnvrtc.", "libnvJitLink.", "libnvidia-ml."};

void say_what_to_link(void const* caller) {
  Dl_info from{};
  std::string_view path;
  if (dladdr(caller, &from) != 0 && from.dli_fname != nullptr) path = from.dli_fname;
  std::string_view const name = path.substr(path.rfind('/') + 1);
  if (std::ranges::any_of(content, [name](auto const& one) { return name.starts_with(one); })) return;
  char text[512];
  std::snprintf(
      text, sizeof text,
      "%.200s embeds NVIDIA's CUDA runtime (libcudart_static.a), which works with NVIDIA's driver only.\n"
      "pegasus: Relink it with `nvcc -cudart shared` (CMake: set CMAKE_CUDA_RUNTIME_LIBRARY to Shared), "
      "or with Pegasus's own libcudart_static.a.",
      path.empty() ? "this program" : path.data());
  static bool said = false;
  pegasus::driver::say_once(said, text);
}

} // namespace

CUresult cuGetExportTable(void const** table, CUuuid const*) {
  say_what_to_link(__builtin_return_address(0));
  if (table != nullptr) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}
