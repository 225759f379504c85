// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/program_path.h"

#include "cli/printable.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

// Returns 0, or the errno value that says why it cannot be run.
int cannot_run(std::string const& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

bool absent(int error) { return error == ENOENT || error == ENOTDIR; }

tl::unexpected<ProgramProblem> problem(std::string const& name, int error) {
  if (absent(error))
    return tl::unexpected(
        ProgramProblem{status_not_found, fmt::format("there is no program \"{}\"", cli::printable(name))});
  return tl::unexpected(
      ProgramProblem{status_not_executable, fmt::format("\"{}\" cannot be executed: {}", cli::printable(name),
                                                        std::strerror(error))});
}

} // namespace

tl::expected<std::string, ProgramProblem> find_program(std::string const& name, std::string_view path) {
  if (name.empty()) return problem(name, ENOENT);
  if (name.find('/') != std::string::npos) {
    int const error = cannot_run(name);
    if (error != 0) return problem(name, error);
    return name;
  }
  int seen = ENOENT; // a file that exists but may not be run is the better explanation if no other can run
  for (;;) {
    std::size_t const length = std::min(path.find(':'), path.size());
    std::string const directory(path.substr(0, length));
    std::string const candidate = (directory.empty() ? "." : directory) + "/" + name;
    int const error = cannot_run(candidate);
    if (error == 0) return candidate;
    if (error == EACCES) seen = error;
    if (length == path.size()) break;
    path.remove_prefix(length + 1);
  }
  if (seen == ENOENT)
    return tl::unexpected(ProgramProblem{
        status_not_found,
        fmt::format("there is no program \"{0}\" in $PATH; for one in this directory write ./{0}",
                    cli::printable(name))});
  return problem(name, seen);
}

} // namespace pegasus::ctl
