// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_process.h"

#include "base/unique_fd.h"
#include "domA/daemon/discovery.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::daemon {

using guests::SharedMemory;

tl::expected<WorkerProcess, std::string> WorkerProcess::start(Jailer const& jailer,
                                                              std::string const& program, Spec const& spec) {
  WorkerProcess process;
  auto gate = SharedMemory::create("pegasus-gate", sizeof(gate::GatePage));
  auto usage = SharedMemory::create("pegasus-usage", sizeof(gate::UsagePage));
  auto report = SharedMemory::create("pegasus-report", gate::report_bytes);
  auto start = SharedMemory::create("pegasus-start", sizeof(worker::Start));
  for (auto* memory : {&gate, &usage, &report, &start})
    if (!*memory) return tl::unexpected(memory->error());
  process.kick_ = base::UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return tl::unexpected(fmt::format("no descriptors left: {} (raise `ulimit -n`)", std::strerror(errno)));
  process.output_ = base::UniqueFd(ends[0]);
  base::UniqueFd const says(ends[1]);
  fcntl(process.output(), F_SETFL, O_NONBLOCK);
  worker::Jail const jail = jailer.jail(spec.slot);
  start->as<worker::Start>() = {spec.geometry, spec.channel, spec.slot, spec.memory_bytes, spec.device, jail};
  auto read_only_gate = gate->read_only();
  if (!read_only_gate) return tl::unexpected(read_only_gate.error());
  std::vector<Jailer::Placed> descriptors{{start->fd(), worker::start_fd},
                                          {spec.channel.fd, worker::channel_fd},
                                          {read_only_gate->get(), worker::gate_fd},
                                          {usage->fd(), worker::usage_fd},
                                          {spec.shared.engine, worker::engine_fd},
                                          {spec.shared.limits, worker::limits_fd},
                                          {spec.shared.slots, worker::slots_fd},
                                          {spec.shared.own_slot, worker::own_slot_fd},
                                          {process.kick_fd(), worker::kick_fd},
                                          {report->fd(), worker::report_fd},
                                          {says.get(), STDOUT_FILENO},
                                          {says.get(), STDERR_FILENO}};
  if (spec.channel.host_window_bytes != 0)
    descriptors.push_back({spec.channel.host_window_fd, worker::host_window_fd});
  if (spec.code_cache >= 0) descriptors.push_back({spec.code_cache, worker::code_fd});
  auto started = jailer.start({.path = program,
                               .arguments = {"pegasus-avcpu"},
                               .environment = worker_environment(spec.device),
                               .descriptors = std::move(descriptors),
                               .group = spec.group},
                              jail);
  if (!started) return tl::unexpected(started.error());
  process.pid_ = started->pid;
  process.pidfd_ = std::move(started->pidfd);
  process.gate_ = std::move(*gate);
  process.usage_ = std::move(*usage);
  process.report_ = std::move(*report);
  return process;
}

void WorkerProcess::kill() const { ::kill(pid_, SIGKILL); }

bool WorkerProcess::reap_until(std::chrono::steady_clock::time_point when) const {
  auto const left =
      std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now()).count();
  pollfd ended{pidfd(), POLLIN, 0};
  if (poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) != 1) return false;
  (void)reap();
  return true;
}

WorkerEnd WorkerProcess::reap() const {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return {{}, "ended"};
  if (WIFSIGNALED(status))
    return {{}, fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  return {WEXITSTATUS(status), fmt::format("exited with status {}", WEXITSTATUS(status))};
}

} // namespace pegasus::daemon
