// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <system_error>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

namespace fs = std::filesystem;

std::string parent_directory() {
  char const* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && access(runtime, W_OK | X_OK) == 0) return runtime;
  std::error_code error;
  std::string const fallback = fs::temp_directory_path(error).string();
  return error ? "." : fallback;
}

} // namespace

Result<TemporaryDirectory> TemporaryDirectory::create() {
  std::string path = (fs::absolute(parent_directory()) / "pegasus-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) // 0700, with a name that no other process could prepare
    return fail(FailureKind::local,
                fmt::format("cannot make a directory {}: {} (set TMPDIR to one you can write to)", path,
                            std::strerror(errno)));
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace pegasus::ctl
