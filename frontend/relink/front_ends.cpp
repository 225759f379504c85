// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/front_ends.h"

#include <string_view>
#include <unistd.h>

namespace pegasus::relink {
namespace {

// What our front ends are linked with in NVIDIA's place (frontend/jit/CMakeLists.txt).
constexpr std::string_view of_nvidia = ".of-nvidia";

// The linker takes a path that it has opened before for the same file, so NVIDIA's library gets another spelling.
constexpr std::string_view same_directory = "/./";

bool exists(std::string const& path) { return access(path.c_str(), F_OK) == 0; }

} // namespace

char const* FrontEnds::search(char const* name) {
  std::string_view const path = name;
  std::size_t const slash = path.rfind('/');
  std::string_view const file = path.substr(slash + 1); // npos + 1 is 0
  if (file.ends_with(of_nvidia)) {
    auto const found = libraries_.find(file.substr(0, file.size() - of_nvidia.size()));
    if (found == libraries_.end()) return name;
    found->second.is_loaded = true;
    return found->second.nvidia.c_str();
  }
  if (slash == std::string_view::npos) return name; // the places where it may be come one by one
  if (!file.starts_with("libnvrtc.so.") && !file.starts_with("libnvJitLink.so.")) return name;
  std::string_view const directory = path.substr(0, slash);
  if (directory == directory_ || path.substr(0, path.size() - file.size()).ends_with(same_directory))
    return name;
  std::string const front = directory_ + "/" + std::string(file);
  if (!exists(front) || !exists(name)) return name;
  Behind& behind = libraries_[std::string(file)];
  if (!behind.is_loaded)
    behind = {front, std::string(directory) + std::string(same_directory) + std::string(file), false};
  return behind.front.c_str();
}

} // namespace pegasus::relink
