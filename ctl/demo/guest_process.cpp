// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/guest_process.h"

#include "ctl/process/environment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

namespace pegasus::ctl {
namespace {

constexpr off_t max_output = 64 << 10; // of the end of a program's output; a workload prints a few lines

} // namespace

Result<GuestProcess> GuestProcess::start(DemoDomain const& domain, Installation const& installation,
                                         PrivateDaemon const& daemon, SignalWatch const& signals) {
  std::string const path = fmt::format("{}/{}.output", daemon.directory(), domain.name);
  base::UniqueFd output(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600));
  base::UniqueFd const null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!output || !null)
    return fail(FailureKind::local, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  Spawn spawn;
  spawn.program = installation.program("workloads/" + domain.program);
  spawn.arguments = {domain.program};
  spawn.arguments.insert(spawn.arguments.end(), domain.arguments.begin(), domain.arguments.end());
  spawn.environment =
      guest_environment(current_environment(), installation, {daemon.address().guest, domain.name});
  spawn.input = null.get();
  spawn.output = output.get();
  spawn.error = output.get();
  spawn.own_group = true; // Ctrl-C is ours to handle: we end the programs in order
  spawn.mask = &signals.original_mask();
  auto process = Child::start(spawn);
  if (!process)
    return fail(FailureKind::local, fmt::format("cannot start {}: {}; build or install Pegasus's workloads",
                                                spawn.program, std::strerror(process.error())));
  return GuestProcess(domain.name, std::move(output), std::move(*process));
}

Outcome GuestProcess::outcome() {
  bool const by_itself = ended();
  if (!by_itself) process_.send(SIGKILL);
  Outcome outcome = read_outcome(output(), process_.wait());
  if (!by_itself) {
    outcome.verified = false;
    outcome.problem = "it did not end in time";
  }
  return outcome;
}

std::string GuestProcess::output() const {
  struct stat status {};
  if (fstat(output_.get(), &status) != 0) return {};
  std::string text(static_cast<std::size_t>(std::min<off_t>(status.st_size, max_output)), '\0');
  ssize_t const got =
      pread(output_.get(), text.data(), text.size(), std::max<off_t>(0, status.st_size - max_output));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

} // namespace pegasus::ctl
