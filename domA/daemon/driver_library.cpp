// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/driver_library.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace pegasus::daemon {
namespace {

constexpr std::array<std::string_view, 6> usual_directories = {
    "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",       "/usr/lib/nvidia",       "/usr/lib/wsl/lib"};

constexpr std::array<std::string_view, 3> nodes = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"};

} // namespace

std::vector<std::string> driver_candidates(std::string const& name, std::string_view library_path,
                                           std::filesystem::path const& ours, std::string const& root) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> candidates;
  auto const look_in = [&](std::string_view directory) {
    std::error_code ignored;
    std::string const file = root + std::string(directory) + "/" + name;
    if (!directory.starts_with('/') || !std::filesystem::exists(file, ignored)) return;
    if (!std::filesystem::equivalent(file, ours, ignored)) candidates.push_back(file);
  };
  while (!library_path.empty()) {
    std::size_t const end = std::min(library_path.find(':'), library_path.size());
    look_in(library_path.substr(0, end));
    library_path.remove_prefix(std::min(end + 1, library_path.size()));
  }
  candidates.push_back(name);
  std::ranges::for_each(usual_directories, look_in);
  return candidates;
}

std::optional<std::string> gpu_node(std::string const& root) {
  std::error_code ignored;
  auto const exists = [&](std::string_view node) {
    return std::filesystem::exists(root + std::string(node), ignored);
  };
  auto const found = std::ranges::find_if(nodes, exists);
  return found == nodes.end() ? std::nullopt : std::optional(std::string(*found));
}

} // namespace pegasus::daemon
