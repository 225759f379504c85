// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/installation.h"

#include "frontend/relink/plan.h"

#include <filesystem>
#include <fmt/core.h>
#include <system_error>
#include <unistd.h>

namespace pegasus::ctl {

namespace fs = std::filesystem;

Result<Installation> Installation::find() {
  std::error_code error;
  fs::path const self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return fail(FailureKind::local,
                fmt::format("cannot locate this program: {} (is /proc mounted?)", error.message()));
  fs::path const bin = self.parent_path();
  return Installation{bin.string(), (bin.parent_path() / "lib").string()};
}

std::vector<std::string> Installation::guest_libraries() const {
  std::vector<std::string> libraries{lib + "/libcuda.so.1"};
  for (int const release : relink::releases)
    libraries.push_back(fmt::format("{}/{}", lib, relink::runtime_name(release)));
  return libraries;
}

Result<void> check_guest_libraries(Installation const& installation) {
  // ld.so(8): the separators of the list cannot be escaped.
  if (installation.lib.find_first_of(" :") != std::string::npos)
    return fail(FailureKind::local,
                fmt::format("Pegasus is installed in \"{}\", and LD_PRELOAD cannot name a path with a blank "
                            "or a colon: move it to another directory",
                            installation.lib));
  std::vector<std::string> libraries = installation.guest_libraries();
  libraries.push_back(installation.audit_library());
  for (std::string const& library : libraries)
    if (access(library.c_str(), R_OK) != 0)
      return fail(
          FailureKind::local,
          fmt::format("the guest library {} is missing or unreadable: build or install all of Pegasus",
                      library));
  return {};
}

} // namespace pegasus::ctl
