// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/gpu_nodes.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <system_error>

namespace pegasus::worker {
namespace {

// From the line "Device Minor: 	 0".
std::optional<unsigned> minor_number(std::string_view pci, FileSystem const& where) {
  if (pci.empty()) return {};
  std::ifstream file(where.proc + "/driver/nvidia/gpus/" + std::string(pci) + "/information");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view key = "Device Minor:";
    if (!line.starts_with(key)) continue;
    auto const digits = line.find_first_of("0123456789", key.size());
    if (digits == std::string::npos || line.find_first_not_of(" \t", key.size()) != digits) return {};
    return static_cast<unsigned>(std::stoul(line.substr(digits, 4)));
  }
  return {};
}

// CUDA does not use displays.
bool is_compute(std::string_view name) { return name.starts_with("nvidia") && name != "nvidia-modeset"; }

bool another_gpu(std::string_view name, unsigned own) {
  constexpr std::string_view stem = "nvidia";
  std::string_view const number = name.substr(stem.size());
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos &&
         number != std::to_string(own);
}

} // namespace

std::vector<std::string> gpu_nodes(std::string_view pci, FileSystem const& where) {
  auto const own = minor_number(pci, where);
  std::vector<std::string> nodes;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(where.dev, ignored)) {
    std::string const name = entry.path().filename().string();
    if (is_compute(name) && !(own && another_gpu(name, *own))) nodes.push_back(entry.path().string());
  }
  return nodes;
}

NodeAccess access_to(std::vector<std::string> const& nodes) {
  NodeAccess access;
  std::size_t seen = 0, open = 0;
  for (std::string const& node : nodes) {
    struct stat what {};
    if (stat(node.c_str(), &what) != 0 || S_ISDIR(what.st_mode)) continue;
    auto const allows = [&](mode_t mode) { return (what.st_mode & mode) == mode; };
    ++seen;
    if (allows(S_IROTH | S_IWOTH))
      ++open;
    else if (allows(S_IRGRP | S_IWGRP))
      access.group = what.st_gid;
  }
  access.everybody = seen > 0 && open == seen;
  return access;
}

} // namespace pegasus::worker
