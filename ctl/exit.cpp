// SPDX-License-Identifier: Apache-2.0
#include "ctl/exit.h"

#include <csignal>
#include <cstdio>
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pegasus::ctl {
int report_failure(CLI::App const& app, Failure const& failure) {
  if (failure.kind == FailureKind::signalled) end_by_signal(failure.signal);
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", app.get_name(), failure.message);
  return failure.exit_status();
}

void end_by_signal(int signal) {
  rlimit const none{0, 0};
  setrlimit(RLIMIT_CORE, &none); // a useful core is that of the program, not ours
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal); // for a signal that is ignored by default
}

} // namespace pegasus::ctl
