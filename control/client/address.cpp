// SPDX-License-Identifier: Apache-2.0
#include "control/client/address.h"

#include <filesystem>
#include <system_error>

namespace pegasus::control {
namespace {

namespace fs = std::filesystem;

constexpr char system_directory[] = "/run/pegasus";

Address in_directory(fs::path const& directory) {
  return {(directory / "control.sock").string(), (directory / "guest.sock").string(),
          (directory / "status.sock").string()};
}

std::optional<std::string> value(Getenv const& getenv, char const* name) {
  char const* const text = getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

} // namespace

Address address_of(std::string const& directory_or_socket) {
  std::error_code ignored;
  // Absolute, because the guest's program may change its working directory before its first CUDA call.
  fs::path const path = fs::absolute(directory_or_socket, ignored).lexically_normal();
  if (!path.has_filename() || fs::is_directory(path, ignored)) return in_directory(path);
  return {path.string(), (path.parent_path() / "guest.sock").string(),
          (path.parent_path() / "status.sock").string()};
}

Addresses find_addresses(std::optional<std::string> const& named, Getenv const& getenv) {
  if (named) return {{address_of(*named)}, true};
  if (auto const chosen = value(getenv, "PEGASUS_CONTROL")) return {{address_of(*chosen)}, true};
  Addresses defaults;
  if (auto const runtime = value(getenv, "XDG_RUNTIME_DIR"))
    defaults.candidates.push_back(in_directory(fs::path(*runtime) / "pegasus"));
  defaults.candidates.push_back(in_directory(system_directory));
  return defaults;
}

} // namespace pegasus::control
