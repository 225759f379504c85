// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/child.h"

#include "base/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pegasus::ctl {
namespace {

std::vector<char*> pointers(std::vector<std::string> const& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string const& text : strings)
    list.push_back(const_cast<char*>(text.c_str())); // exec(3)'s signature predates const; it does not write
  list.push_back(nullptr);
  return list;
}

bool redirect(int from, int to) { return from < 0 || dup2(from, to) == to; }

// Runs between fork and exec. Returns only if something failed; errno says what.
void exec_program(Spawn const& spawn, pid_t parent, std::vector<char*> const& arguments,
                  std::vector<char*> const& environment) {
  if (prctl(PR_SET_PDEATHSIG, spawn.death_signal) != 0) return;
  if (getppid() != parent) // the parent died before the prctl
    _exit(1);
  if (spawn.own_group && setpgid(0, 0) != 0) return;
  if (!redirect(spawn.input, STDIN_FILENO) || !redirect(spawn.output, STDOUT_FILENO) ||
      !redirect(spawn.error, STDERR_FILENO))
    return;
  if (spawn.passed_fd >= 0 && fcntl(spawn.passed_fd, F_SETFD, 0) != 0) return;
  if (spawn.mask != nullptr) sigprocmask(SIG_SETMASK, spawn.mask, nullptr);
  // The path contains a slash, so there is no search. A script without #! is run by the shell,
  // as users expect.
  execvpe(spawn.program.c_str(), arguments.data(), environment.data());
}

} // namespace

bool Ended::by_signal() const { return WIFSIGNALED(status); }
int Ended::signal() const { return WTERMSIG(status); }
int Ended::exit_code() const { return by_signal() ? 128 + signal() : WEXITSTATUS(status); }

tl::expected<Child, int> Child::start(Spawn const& spawn) {
  std::vector<char*> const arguments = pointers(spawn.arguments);
  std::vector<char*> const environment = pointers(spawn.environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(errno);
  base::UniqueFd const reader(ends[0]);
  base::UniqueFd writer(ends[1]);
  pid_t const parent = getpid();
  pid_t const pid = fork();
  if (pid < 0) return tl::unexpected(errno);
  if (pid == 0) {
    exec_program(spawn, parent, arguments, environment);
    int const error = errno;
    ssize_t const told = write(writer.get(), &error, sizeof error);
    _exit(told == sizeof error ? 127 : 126);
  }
  Child child(pid);
  writer.reset();
  int error = 0;
  ssize_t got = 0;
  do // a successful exec closes the pipe
    got = read(reader.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    child.wait();
    return tl::unexpected(error);
  }
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), ended_(std::exchange(other.ended_, {})) {}

Child::~Child() {
  if (pid_ < 0 || ended()) return;
  send(SIGKILL);
  wait();
}

void Child::send(int signal) const {
  if (pid_ > 0 && !ended_) kill(pid_, signal);
}

std::optional<Ended> Child::ended() {
  int status = 0;
  if (!ended_ && pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) ended_ = Ended{status};
  return ended_;
}

Ended Child::wait() {
  int status = 0;
  while (!ended_) {
    pid_t const got = waitpid(pid_, &status, 0);
    if (got == pid_ || (got < 0 && errno != EINTR)) // no such child: only if other code reaped it
      ended_ = Ended{status};
  }
  return *ended_;
}

Ended Child::stop(std::chrono::milliseconds patience) {
  if (!ended()) {
    send(SIGTERM);
    // A process descriptor becomes readable when the process ends (pidfd_open(2)).
    base::UniqueFd const process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    pollfd event{process.get(), POLLIN, 0};
    if (process && poll(&event, 1, static_cast<int>(patience.count())) <= 0)
      send(SIGKILL);
    else if (!process)
      send(SIGKILL);
  }
  return wait();
}

} // namespace pegasus::ctl
