// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/driver_libraries.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string_view>
#include <system_error>

namespace pegasus::cuda {
namespace {

namespace fs = std::filesystem;

// Of the file itself: the driver's name is often a link into another directory.
fs::path directory_of(void* library) {
  link_map const* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return {};
  std::error_code error;
  return fs::canonical(map->l_name, error).parent_path();
}

// Never unloaded.
void load(fs::path const& library) { (void)dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL); }

} // namespace

void load_driver_libraries(void* driver) {
  fs::path const directory = directory_of(driver);
  if (directory.empty()) return;
  // What the others have in common comes first. It exists since release 550, and its name ends with the release.
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(directory, error))
    if (std::string_view(entry.path().filename().native()).starts_with("libnvidia-gpucomp.so.")) load(entry);
  for (char const* const name : {"libnvidia-nvvm.so.4", "libnvidia-ptxjitcompiler.so.1"})
    load(directory / name);
}

} // namespace pegasus::cuda
