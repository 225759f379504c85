// SPDX-License-Identifier: Apache-2.0
// Each attempt runs in a child that has entered the sandbox: what is forbidden ends it by SIGSYS.
#include "domA/worker/sandbox.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus::worker;

namespace {

constexpr std::uint64_t data_bytes = std::uint64_t{64} << 20;
constexpr int went_on = 7; // the child's exit status when the attempt was let through

// How a child ends that enters the sandbox and then tries `attempt`.
template <class Attempt> int status_of(Attempt attempt) {
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close_inherited();
    enter_sandbox({.data_bytes = data_bytes});
    attempt();
    syscall(SYS_exit_group, went_on); // no handlers of the test's own
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

bool forbidden(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS; }
bool allowed(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == went_on; }

} // namespace

TEST_CASE("files, sockets, processes and other processes' memory are out of reach") {
  CHECK(forbidden(status_of([] { syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY); })));
  CHECK(forbidden(status_of([] { syscall(SYS_open, "/etc/passwd", O_RDONLY); })));
  CHECK(forbidden(status_of([] { syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); })));
  CHECK(forbidden(status_of([] { syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); })));
  CHECK(forbidden(status_of([] { syscall(SYS_execve, "/bin/true", nullptr, nullptr); })));
  CHECK(forbidden(status_of([] { syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), nullptr, nullptr); })));
  CHECK(forbidden(status_of([] { syscall(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); })));
  CHECK(forbidden(status_of([] { syscall(SYS_kill, getppid(), SIGTERM); })));
  CHECK(forbidden(status_of([] { syscall(SYS_tgkill, getppid(), getppid(), SIGTERM); })));
  CHECK(forbidden(status_of([] { syscall(SYS_prctl, 0, 0, 0, 0, 0); })));
}

TEST_CASE("what a worker needs is there") {
  CHECK(allowed(status_of([] { (void)!write(STDERR_FILENO, "", 0); })));
  CHECK(allowed(status_of([] { free(std::malloc(1 << 20)); })));
  int const status = status_of([] {
    std::signal(SIGABRT, SIG_DFL); // the test program handles it
    std::abort();
  });
  CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("no descriptor but the standard ones and the bell stays open") {
  int const inherited = open("/dev/null", O_WRONLY);
  REQUIRE(inherited > STDERR_FILENO);
  CHECK(allowed(status_of([inherited] {
    if (write(inherited, "x", 1) != -1 || errno != EBADF) syscall(SYS_exit_group, 1);
  })));
  close(inherited);
}

TEST_CASE("private memory is bounded") {
  CHECK(allowed(status_of([] {
    if (mmap(nullptr, data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
      syscall(SYS_exit_group, 1);
  })));
}
