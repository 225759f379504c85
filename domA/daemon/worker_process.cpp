// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_process.h"

#include "domA/daemon/discovery.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using link::SharedMemory;
using link::UniqueFd;

// dup2 into the worker's fixed numbers must not hit a descriptor that is still to be duplicated.
constexpr int above_fixed_numbers = 64;

tl::expected<UniqueFd, std::string> out_of_the_way(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, above_fixed_numbers));
  if (copy.get() < 0)
    return tl::unexpected(fmt::format("no descriptors left: {} (raise `ulimit -n`)", std::strerror(errno)));
  return copy;
}

class SpawnActions {
public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(SpawnActions const&) = delete;
  SpawnActions& operator=(SpawnActions const&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

} // namespace

tl::expected<WorkerProcess, std::string> WorkerProcess::start(std::string const& program,
                                                              Needs const& needs) {
  WorkerProcess process;
  auto gate = SharedMemory::create("pegasus-gate", sizeof(gate::GatePage));
  auto usage = SharedMemory::create("pegasus-usage", sizeof(gate::UsagePage));
  auto start = SharedMemory::create("pegasus-start", sizeof(worker::Start));
  for (auto* memory : {&gate, &usage, &start})
    if (!*memory) return tl::unexpected(memory->error());
  process.bell_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  start->as<worker::Start>() = {needs.geometry,     needs.channel, needs.seat,
                                needs.memory_bytes, needs.device,  getpid()};
  auto read_only_gate = gate->read_only();
  if (!read_only_gate) return tl::unexpected(read_only_gate.error());

  struct Placed {
    int source, target;
  };
  std::array const placed{Placed{start->fd(), worker::start_fd},
                          Placed{needs.channel.fd, worker::channel_fd},
                          Placed{read_only_gate->get(), worker::gate_fd},
                          Placed{usage->fd(), worker::usage_fd},
                          Placed{needs.accelerator_fd, worker::accelerator_fd},
                          Placed{needs.domain_fd, worker::domain_fd},
                          Placed{process.bell(), worker::bell_fd}};
  SpawnActions actions;
  std::array<UniqueFd, placed.size()> copies;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), STDERR_FILENO, STDOUT_FILENO);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    auto copy = out_of_the_way(placed[i].source);
    if (!copy) return tl::unexpected(copy.error());
    copies[i] = std::move(*copy);
    posix_spawn_file_actions_adddup2(actions.get(), copies[i].get(), placed[i].target);
  }

  std::string name = "pegasus-avcpu";
  std::array<char*, 2> arguments{name.data(), nullptr};
  std::vector<std::string> variables = worker_environment(needs.device);
  std::vector<char*> environment;
  for (std::string& variable : variables)
    environment.push_back(variable.data());
  environment.push_back(nullptr);
  if (int const error = posix_spawn(&process.pid_, program.c_str(), actions.get(), nullptr, arguments.data(),
                                    environment.data());
      error != 0)
    return tl::unexpected(fmt::format("cannot start {}: {}", program, std::strerror(error)));
  process.pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, process.pid_, 0)));
  process.gate_ = std::move(*gate);
  process.usage_ = std::move(*usage);
  if (process.pidfd() < 0) {
    process.kill();
    return tl::unexpected(
        fmt::format("cannot watch a worker: {}; {}", std::strerror(errno), process.reap().how));
  }
  return process;
}

void WorkerProcess::kill() const { ::kill(pid_, SIGKILL); }

WorkerEnd WorkerProcess::reap() const {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return {{}, "ended"};
  if (WIFSIGNALED(status))
    return {{}, fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  return {WEXITSTATUS(status), fmt::format("exited with status {}", WEXITSTATUS(status))};
}

} // namespace pegasus::daemon
