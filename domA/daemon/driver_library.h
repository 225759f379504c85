// SPDX-License-Identifier: Apache-2.0
// Where this machine keeps the CUDA driver's library, and whether it has an NVIDIA GPU at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::daemon {

// What to load, in this order, until one works. A name with a slash is taken as it is. For any other name: the files of
// that name in `library_path` (LD_LIBRARY_PATH; workers do not have it), what the dynamic linker finds by the name, and
// the files where container images and WSL keep it, which the linker may not know. `ours` is left out: Pegasus' own
// libcuda.so.1 is not a driver. Files are looked for below `root`.
[[nodiscard]] std::vector<std::string> driver_candidates(std::string const& name,
                                                         std::string_view library_path,
                                                         std::filesystem::path const& ours,
                                                         std::string const& root = "");

// A device node of an NVIDIA GPU, as Linux or WSL has them; nullopt: there is none.
[[nodiscard]] std::optional<std::string> gpu_node(std::string const& root = "");

} // namespace pegasus::daemon
