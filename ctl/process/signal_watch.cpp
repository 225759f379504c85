// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/signal_watch.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <sys/signalfd.h>
#include <system_error>

namespace pegasus::ctl {

SignalWatch::SignalWatch() {
  sigset_t set;
  sigemptyset(&set);
  for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&set, number);
  if (sigprocmask(SIG_BLOCK, &set, &original_) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot block signals");
  signals_ = base::UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) throw std::system_error(errno, std::generic_category(), "cannot watch signals");
}

SignalWatch::~SignalWatch() { sigprocmask(SIG_SETMASK, &original_, nullptr); }

std::optional<SignalSeen> SignalWatch::wait(std::chrono::milliseconds limit) {
  using std::chrono::steady_clock;
  auto const deadline = steady_clock::now() + limit;
  for (;;) {
    signalfd_siginfo info{};
    if (read(signals_.get(), &info, sizeof info) == sizeof info)
      return SignalSeen{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd event{signals_.get(), POLLIN, 0};
    poll(&event, 1, static_cast<int>(std::min<long>(left, INT_MAX)));
  }
}

SignalSeen SignalWatch::wait() {
  for (;;)
    if (auto const seen = wait(std::chrono::hours(1))) return *seen;
}

} // namespace pegasus::ctl
