// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/private_daemon.h"

#include "base/unique_fd.h"
#include "ctl/process/environment.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>

namespace pegasus::ctl {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds daemon_start_limit{30}; // for a loaded machine or a sanitizer build
constexpr std::chrono::seconds stop_patience{5};
constexpr milliseconds look_for_signals{50};
constexpr int bad_options = 2; // pegasusd's exit status for them

std::string how_it_ended(Ended ended) {
  return ended.by_signal() ? fmt::format("killed by signal {}", ended.signal())
                           : fmt::format("exit status {}", ended.exit_code());
}

// Waits for the ready byte.
Result<void> wait_ready(int ready, Child& process, SignalWatch& signals) {
  auto const deadline = steady_clock::now() + daemon_start_limit;
  while (steady_clock::now() < deadline) {
    if (auto const seen = signals.wait(milliseconds(0)); seen && seen->number != SIGCHLD)
      return tl::unexpected(Failure{FailureKind::signalled, "", seen->number});
    pollfd event{ready, POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(look_for_signals.count())) <= 0) continue;
    char byte = 0;
    if (read(ready, &byte, 1) == 1) return {};
    Ended const ended = process.stop(stop_patience); // it closed the pipe without writing
    if (!ended.by_signal() && ended.exit_code() == bad_options)
      return fail(FailureKind::usage, "the private pegasusd rejected its options: see above");
    return fail(FailureKind::local,
                fmt::format("the private pegasusd did not start ({}); its own message is above",
                            how_it_ended(ended)));
  }
  return fail(FailureKind::local,
              fmt::format("the private pegasusd was not ready within {} s: is the machine overloaded?",
                          daemon_start_limit.count()));
}

} // namespace

Result<PrivateDaemon> PrivateDaemon::start(Installation const& installation,
                                           PrivateDaemonOptions const& options, SignalWatch& signals) {
  auto directory = TemporaryDirectory::create();
  if (!directory) return tl::unexpected(directory.error());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail(FailureKind::local, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  base::UniqueFd const reader(ends[0]);
  base::UniqueFd writer(ends[1]);
  base::UniqueFd const null(open("/dev/null", O_RDWR | O_CLOEXEC));

  Spawn spawn;
  spawn.program = installation.program("pegasusd");
  spawn.arguments = {"pegasusd",  "--directory", directory->path(),
                     "--private", "--ready-fd",  fmt::format("{}", writer.get())};
  auto const add = [&spawn](char const* option, std::string const& value) {
    if (!value.empty()) spawn.arguments.insert(spawn.arguments.end(), {option, value});
  };
  for (std::string const& file : options.policy_plugins)
    add("--policy-plugin", file);
  add("--policy", options.policy);
  add("--accelerator", options.accelerator);
  add("--compute-capability", options.compute_capability);
  spawn.environment = current_environment();
  spawn.input = null.get();
  spawn.output = null.get(); // standard output belongs to the program
  spawn.passed_fd = writer.get();
  spawn.death_signal = SIGTERM; // it cleans up after itself
  spawn.own_group = true;
  spawn.mask = &signals.original_mask();
  auto process = Child::start(spawn);
  if (!process)
    return fail(FailureKind::local, fmt::format("cannot start {}: {}; build or install all of Pegasus",
                                                spawn.program, std::strerror(process.error())));
  writer.reset();
  PrivateDaemon daemon(std::move(*directory), std::move(*process));
  if (auto const ready = wait_ready(reader.get(), daemon.process_, signals); !ready)
    return tl::unexpected(ready.error());
  return daemon;
}

PrivateDaemon::~PrivateDaemon() {
  if (process_.pid() > 0) process_.stop(stop_patience);
}

std::optional<std::string> PrivateDaemon::died() {
  auto const ended = process_.ended();
  if (!ended) return std::nullopt;
  return fmt::format("the private pegasusd ended before its programs did ({})", how_it_ended(*ended));
}

} // namespace pegasus::ctl
