// SPDX-License-Identifier: Apache-2.0
// pegasusd: the accelerator daemon of Dom0, or of one machine's local domains.
#include "control/quantity.h"
#include "domA/daemon/daemon.h"
#include "domA/daemon/directory.h"
#include "domA/daemon/discovery.h"
#include "domA/daemon/log_sink.h"

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <spdlog/spdlog.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace pegasus::daemon;

namespace {

// A task needs half a dozen descriptors and a domain one; the usual soft limit of 1024 exists
// only for select(2).
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) spdlog::warn("cannot raise the number of open files");
}

// Shared memory counts as files. False: it may not be large enough for any task.
bool may_share_memory() {
  constexpr rlim_t least = 64 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max >= least) return true;
  spdlog::error(
      "files of this process may have {} bytes (ulimit -f): shared memory counts as files and needs {}",
      limit.rlim_max, pegasus::control::text_of_size(least));
  return false;
}

// When memory runs out, Linux kills workers first (domA/worker/jail.cpp) and pegasusd late: without it no
// guest has an accelerator. If this is not permitted, it has no effect.
void go_last() { std::ofstream("/proc/self/oom_score_adj") << -900; }

// Who reads a file later wants to know when; journald writes that itself, and at a terminal it is seen.
char const* log_pattern(Options const& options) {
  bool const into_file = getenv("JOURNAL_STREAM") == nullptr && isatty(STDERR_FILENO) == 0;
  return into_file && !options.private_to_parent ? "%Y-%m-%dT%H:%M:%S.%e%z %n: %l: %v" : "%n: %l: %v";
}

// A failure caused by one task must not end the others.
void run(boost::asio::io_context& io) {
  for (;;) {
    try {
      io.run();
      return;
    } catch (std::exception const& error) {
      spdlog::error("continuing after an error: {}", error.what());
    }
  }
}

int serve(Options const& options) {
  boost::asio::io_context io(1);
  auto daemon = find_accelerators(options).and_then(
      [&](std::vector<FoundAccelerator> found) { return Daemon::create(io, options, std::move(found)); });
  if (!daemon) {
    spdlog::error("{}", daemon.error().message);
    return static_cast<int>(daemon.error().kind);
  }
  spdlog::info("ready at {}, policy {}", options.directory, options.policy.policy->name);
  if (options.ready_fd >= 0) {
    char const ready = 'r';
    bool const told = write(options.ready_fd, &ready, 1) == 1;
    close(options.ready_fd);
    if (!told) {
      spdlog::warn("cannot write to --ready-fd: its reader has gone");
      if (options.private_to_parent) raise(SIGTERM); // its parent ended before PR_SET_PDEATHSIG was set
    }
  }
  run(io);
  clean_directory(options.directory, options.private_to_parent);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  Options const options = parse_options(argc, argv);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("pegasusd", std::make_shared<LogSink>()));
  spdlog::set_pattern(log_pattern(options));
  for (std::string const& file : options.policy_plugins)
    spdlog::info("loaded a policy from {}", file);
  if (options.private_to_parent) {
    spdlog::set_level(spdlog::level::warn); // it shares the program's terminal
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  } else {
    go_last();
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // beyond a limit of files (ulimit -f) calls fail
  std::signal(SIGCHLD,
              SIG_DFL); // if inherited as ignored, a worker's pid could be reused before we reap it
  raise_descriptor_limit();
  if (!may_share_memory()) return static_cast<int>(StartError::Kind::machine);
  try {
    return serve(options);
  } catch (std::exception const& error) { // as Boost.Asio throws where no descriptor is left
    spdlog::error("cannot start: {}: check the limits of this process (ulimit -a)", error.what());
    return static_cast<int>(StartError::Kind::machine);
  }
}
