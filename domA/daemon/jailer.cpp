// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/jailer.h"

#include "base/unique_fd.h"
#include "domA/guests/shared_memory.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

constexpr std::uint64_t all_but_users =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
constexpr int trial_ms = 10'000;
// A descriptor that is put into place must not overwrite one that is yet to be moved.
constexpr int above_fixed_numbers = 64;

std::vector<char*> pointers(std::vector<std::string> const& words) {
  std::vector<char*> result;
  for (std::string const& word : words)
    result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

bool write_file(std::string const& path, std::string const& text) {
  base::UniqueFd const file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The ids in a new user namespace: ours as 0, which keeps the namespace's capabilities across exec, and the
// worker's own as themselves.
std::string id_map(std::uint32_t ours, std::set<std::uint32_t> ids) {
  ids.erase(0); // the worker has no id 0 of its own
  std::string map = fmt::format("0 {} 1", ours);
  for (std::uint32_t const id : ids)
    if (id != ours) map += fmt::format("\n{0} {0} 1", id);
  return map;
}

bool map_ids(pid_t pid, worker::Jail const& jail) {
  std::string const directory = fmt::format("/proc/{}/", pid);
  bool const as_root = geteuid() == 0;
  if (!as_root && !write_file(directory + "setgroups", "deny")) return false;
  std::set<std::uint32_t> groups{jail.group};
  if (as_root) groups.insert(jail.device_group); // else it keeps our groups
  return write_file(directory + "gid_map", id_map(getegid(), groups)) &&
         write_file(directory + "uid_map", id_map(geteuid(), {jail.user}));
}

// What the child does before exec: system calls only, because it is a copy of us with our locks.
struct Child {
  char const* path;
  char* const* arguments;
  char* const* environment;
  std::span<Jailer::Placed const> descriptors;
  int go;    // a byte arrives when its ids are mapped
  int ready; // a byte leaves when it has mounted its /proc and made its user namespace; -1: it does not

  [[noreturn]] void run() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // without pegasusd its gate is never opened
    char byte = 'r';
    if (ready >= 0 &&
        !(mount_proc() && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write(ready, &byte, 1) == 1))
      _exit(worker::Exit::not_started);
    if (read(go, &byte, 1) != 1) _exit(worker::Exit::not_started);
    int const null = open("/dev/null", O_RDONLY);
    bool placed = dup2(null, STDIN_FILENO) == STDIN_FILENO;
    if (null != STDIN_FILENO) close(null);
    for (auto const& [source, target] : descriptors)
      placed = placed && dup2(source, target) == target;
    if (!placed) _exit(worker::Exit::not_started);
    execve(path, arguments, environment);
    _exit(127);
  }

  // A /proc of its PID namespace, over the one that is there. In a user namespace of its own a worker may mount
  // one (root_directory.cpp) only if nothing of the other /proc is covered.
  static bool mount_proc() {
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
  }
};

// Not clone3, whose flags no filter of system calls can see: RestrictNamespaces= in pegasusd.service refuses it.
pid_t clone(std::uint64_t flags, int& pidfd) {
  return static_cast<pid_t>(
      syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, nullptr, &pidfd, nullptr, nullptr));
}

tl::unexpected<std::string> failed(char const* what) {
  return tl::unexpected(fmt::format("{}: {}", what, std::strerror(errno)));
}

} // namespace

Jailer::Jailer(std::string const& worker_program, std::uint32_t first_user,
               worker::DeviceChoice const& device, worker::Confinement confinement)
    : first_user_(first_user), device_group_(device.group), confinement_(confinement) {
  for (Level& level : levels()) {
    level_ = std::move(level);
    if (confinement != worker::Confinement::none && tried_out(worker_program, device)) break;
  }
  if (confinement == worker::Confinement::none)
    level_.missing = "workers are not confined at all (--confine none)";
  if (confinement == worker::Confinement::jail)
    level_.missing +=
        fmt::format("{}workers have no sandbox (--confine jail)", level_.missing.empty() ? "" : "; ");
}

// The best level first. The last one uses nothing that could be refused. A driver needs a /proc that fits its PID
// namespace: where neither the worker nor pegasusd may mount one, it is in pegasusd's.
std::vector<Jailer::Level> Jailer::levels() {
  constexpr std::uint64_t all = all_but_users | CLONE_NEWUSER,
                          all_but_pids = all & ~std::uint64_t{CLONE_NEWPID};
  std::string const ours = "workers have pegasusd's user id";
  std::string const pids = "workers have no PID namespace of their own: they see processes";
  std::string const none = "workers have no namespaces of their own: they see files and processes";
  std::vector<Level> const as_ours{
      {all, false, ours}, {all_but_pids, false, ours + "; " + pids}, {0, false, ours + "; " + none}};
  if (geteuid() != 0) return as_ours;
  return {{all, true, ""},
          {.namespaces = all, .user_of_its_own = true, .missing = "", .with_proc = true},
          {all_but_users, true, "workers have no user namespace of their own"},
          {all_but_pids, true, pids},
          as_ours[0],
          as_ours[1],
          {0, true, none},
          as_ours[2]};
}

worker::Jail Jailer::jail(std::uint32_t slot) const {
  std::uint32_t const user = level_.user_of_its_own ? first_user_ + slot : 0;
  return {.confinement = confinement_,
          .own_namespaces = level_.namespaces != 0,
          .own_user = level_.user_of_its_own,
          .user = user,
          .group = user,
          .device_group = device_group_};
}

tl::expected<Jailer::Process, std::string> Jailer::start(Program const& program,
                                                         worker::Jail const& jail) const {
  if (access(program.path.c_str(), X_OK) != 0)
    return tl::unexpected(fmt::format("cannot start {}: {}", program.path, std::strerror(errno)));
  std::vector<Placed> descriptors;
  std::vector<base::UniqueFd> copies;
  for (auto const& [source, target] : program.descriptors) {
    copies.emplace_back(fcntl(source, F_DUPFD_CLOEXEC, above_fixed_numbers));
    if (copies.back().get() < 0) return failed("no descriptors left (raise `ulimit -n`)");
    descriptors.push_back({copies.back().get(), target});
  }
  std::array<int, 2> ends{}, ready_ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return failed("no descriptors left (raise `ulimit -n`)");
  base::UniqueFd const go(ends[0]), go_writer(ends[1]);
  if (pipe2(ready_ends.data(), O_CLOEXEC) != 0) return failed("no descriptors left (raise `ulimit -n`)");
  base::UniqueFd const is_ready(ready_ends[0]);
  base::UniqueFd ready(ready_ends[1]);
  auto const arguments = pointers(program.arguments), environment = pointers(program.environment);
  Child const child{.path = program.path.c_str(),
                    .arguments = arguments.data(),
                    .environment = environment.data(),
                    .descriptors = descriptors,
                    .go = go.get(),
                    .ready = level_.with_proc ? ready.get() : -1};
  int pidfd = -1;
  std::uint64_t const later = level_.with_proc ? CLONE_NEWUSER : 0;
  pid_t const pid = clone(level_.namespaces & ~later, pidfd);
  if (pid == 0) child.run();
  if (pid < 0) return failed("cannot make a process for a worker");
  Process process{pid, base::UniqueFd(pidfd)};
  ready = base::UniqueFd(); // if the process ends, reading fails
  char byte = 'g';
  bool const made = !level_.with_proc || TEMP_FAILURE_RETRY(read(is_ready.get(), &byte, 1)) == 1;
  char const* const problem = made ? prepare(pid, program, jail) : "cannot make namespaces for a worker";
  if (problem == nullptr && write(go_writer.get(), &byte, 1) == 1) return process;
  auto const error = failed(problem != nullptr ? problem : "cannot start a worker");
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return error;
}

// Runs while the process waits. Returns what could not be done, nullptr on success.
char const* Jailer::prepare(pid_t pid, Program const& program, worker::Jail const& jail) const {
  if (program.group != nullptr && !program.group->take(pid))
    return "cannot move a worker to its control group";
  if ((level_.namespaces & CLONE_NEWUSER) != 0 && !map_ids(pid, jail))
    return "cannot map the user ids of a worker";
  return nullptr;
}

bool Jailer::tried_out(std::string const& worker_program, worker::DeviceChoice const& device) const {
  auto start_block = guests::SharedMemory::create("pegasus-start", sizeof(worker::Start));
  base::UniqueFd const nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!start_block || nowhere.get() < 0) return false;
  start_block->as<worker::Start>().jail = jail(0);
  start_block->as<worker::Start>().device = device;
  auto const trial = start({.path = worker_program,
                            .arguments = {"pegasus-avcpu", worker::jail_argument},
                            .environment = {},
                            .descriptors = {{start_block->fd(), worker::start_fd},
                                            {nowhere.get(), STDOUT_FILENO},
                                            {nowhere.get(), STDERR_FILENO}}},
                           jail(0));
  if (!trial) return false;
  pollfd ended{trial->pidfd.get(), POLLIN, 0};
  (void)poll(&ended, 1, trial_ms);
  kill(trial->pid, SIGKILL);
  int status = 0;
  return waitpid(trial->pid, &status, 0) == trial->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace pegasus::daemon
