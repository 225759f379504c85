// SPDX-License-Identifier: Apache-2.0
// Each attempt runs in a child that has entered the sandbox: a forbidden call ends it with SIGSYS.
#include "domA/worker/sandbox.h"

#include "domA/worker/gpu_files.h"
#include "domA/worker/start.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pegasus::worker;

namespace {

constexpr std::uint64_t data_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t mapped_bytes = std::uint64_t{1} << 20;
constexpr std::size_t page = 4096;
constexpr int went_on = 7; // the child's exit status if the attempt was allowed
std::atomic<int> entered;  // set in the child

// How a child ends that runs `before`, enters the sandbox and then tries `attempt`.
template <class Attempt, class Before> int status_in(Sandbox const& sandbox, Attempt attempt, Before before) {
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close_inherited();
    before();
    enter_sandbox(sandbox);
    entered = 1;
    attempt();
    syscall(SYS_exit_group, went_on); // no handlers of the test program
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

template <class Attempt> int status_in(Sandbox const& sandbox, Attempt attempt) {
  return status_in(sandbox, attempt, [] {});
}
template <class Attempt, class... Before> int status_of(Attempt attempt, Before... before) {
  return status_in({.data_bytes = data_bytes, .mapped_bytes = mapped_bytes}, attempt, before...);
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

TEST_CASE("of descriptors only the kick's and the standard ones are written, and none is changed or read") {
  int const inherited = open("/dev/null", O_WRONLY);
  REQUIRE(inherited > STDERR_FILENO);
  CHECK(forbidden(status_of([inherited] { (void)!write(inherited, "x", 1); })));
  close(inherited);
  CHECK(allowed(status_of([] { (void)!write(kick_fd, "12345678", 8); })));
  char byte = 0;
  CHECK(forbidden(status_of([&] { (void)!read(kick_fd, &byte, 1); })));
  CHECK(forbidden(status_of([] { fcntl(kick_fd, F_SETFL, 0); })));
  CHECK(forbidden(status_of([] { fcntl(STDERR_FILENO, F_SETFL, 0); })));
  CHECK(forbidden(status_of([] { ioctl(kick_fd, FIONREAD, nullptr); })));
}

TEST_CASE("memory is private, bounded, and never becomes code") {
  constexpr int own = MAP_PRIVATE | MAP_ANONYMOUS;
  auto const maps = [](std::size_t bytes, int protection, int flags) {
    return status_of([=] {
      if (mmap(nullptr, bytes, protection, flags, -1, 0) == MAP_FAILED) syscall(SYS_exit_group, 1);
    });
  };
  auto const refused = [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 1; };
  CHECK(allowed(maps(page, PROT_READ | PROT_WRITE, own)));
  CHECK(refused(maps(data_bytes, PROT_READ | PROT_WRITE, own)));
  CHECK(refused(maps(data_bytes + mapped_bytes + (std::size_t{1} << 30), PROT_READ, own)));
  CHECK(forbidden(maps(page, PROT_READ | PROT_EXEC, own)));
  CHECK(forbidden(maps(page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS)));
  alignas(page) static std::byte memory[page];
  CHECK(forbidden(status_of([] { mprotect(memory, page, PROT_READ | PROT_EXEC); })));
  CHECK(allowed(status_of([] { mprotect(memory, page, PROT_READ); })));
  CHECK(allowed(status_of([] { madvise(memory, page, MADV_DONTNEED); })));
  CHECK(allowed(status_of([] { madvise(memory, page, MADV_REMOVE); })));
  CHECK(forbidden(status_of([] { madvise(memory, page, MADV_HWPOISON); })));
}

TEST_CASE("addresses without memory are bounded apart from memory") {
  constexpr std::size_t reserved = std::size_t{4} << 30;
  auto const status = [](std::size_t bytes, int protection) {
    return status_in({.data_bytes = data_bytes, .mapped_bytes = mapped_bytes, .reserved_bytes = reserved},
                     [=] {
                       if (mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
                         syscall(SYS_exit_group, 1);
                     });
  };
  CHECK(allowed(status(reserved, PROT_NONE)));
  CHECK_FALSE(allowed(status(reserved, PROT_READ | PROT_WRITE)));
  CHECK_FALSE(allowed(status(2 * reserved, PROT_NONE)));
}

TEST_CASE("a shared page does not grow over the next one of its file") {
  int const file = memfd_create("two pages", MFD_CLOEXEC);
  REQUIRE(ftruncate(file, 2 * page) == 0);
  void* const first = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(first != MAP_FAILED);
  for (bool const gpu : {false, true}) {
    CAPTURE(gpu);
    int const status =
        status_in({.data_bytes = data_bytes, .mapped_bytes = mapped_bytes, .gpu = gpu}, [first] {
          if (mremap(first, page, 2 * page, MREMAP_MAYMOVE) != MAP_FAILED) syscall(SYS_exit_group, 1);
        });
    CHECK(allowed(status));
  }
  munmap(first, page);
  close(file);
  CHECK(allowed(status_of([] { // where realloc() would have grown the mapping, it copies
    constexpr std::size_t large = std::size_t{4} << 20;
    auto* const memory = static_cast<char*>(std::malloc(large));
    memory[large - 1] = 'x';
    auto* const more = static_cast<char*>(std::realloc(memory, 2 * large));
    if (more == nullptr || more[large - 1] != 'x') syscall(SYS_exit_group, 1);
  })));
}

TEST_CASE("a GPU's worker touches no descriptor that pegasusd gave it, and makes no code that it wrote") {
  // These calls fail and are not deadly: the child exits with 1 if all of them were refused.
  auto const refused = [](auto attempt) {
    return status_in({.data_bytes = data_bytes, .gpu = true}, [&] {
      if (attempt() == -1 && errno == EPERM) syscall(SYS_exit_group, 1);
    });
  };
  auto const one = [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 1; };
  for (int const fd : {STDIN_FILENO, STDERR_FILENO, int{gate_fd}, int{kick_fd}, int{doorbell_fd}}) {
    CAPTURE(fd);
    CHECK(one(refused([=] { return fcntl(fd, F_SETFL, 0); })));
    CHECK(one(refused([=] { return ioctl(fd, FIONREAD, nullptr); })));
    CHECK(one(refused([=] { return dup(fd); })));
    CHECK(one(refused([=] { return close(fd); })));
  }
  CHECK(one(refused([] {
    std::uint64_t count = 0;
    return static_cast<int>(read(kick_fd, &count, sizeof count));
  })));
  CHECK(one(refused([] { return openat(AT_FDCWD, "/etc/passwd", O_RDONLY); }))); // nothing says which
  auto const mapped = [](int protection, int flags) {
    return mmap(nullptr, page, protection, flags, -1, 0) == MAP_FAILED ? -1 : 0;
  };
  CHECK(one(refused([&] { return mapped(PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS); })));
  CHECK(one(refused([&] { return mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS); })));
  CHECK(one(refused([&] { return mapped(PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS); })));
  CHECK_FALSE(one(refused([&] { return mapped(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS); })));
}

TEST_CASE("a GPU's driver makes files in memory, which are bounded") {
  auto const make_one = [] {
    int const file = memfd_create("driver's", MFD_CLOEXEC);
    bool const works = file >= 0 && ftruncate(file, page) == 0 &&
                       mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED;
    bool const bounded = ftruncate(file, off_t{1} << 30) == -1 && errno == EFBIG; // not SIGXFSZ
    if (!works || !bounded) syscall(SYS_exit_group, 1);
  };
  int const status = status_in({.data_bytes = data_bytes, .gpu = true}, make_one, [] {
    dup2(STDIN_FILENO, kick_fd); // pegasusd's descriptors have the numbers below the driver's
    reserve_numbers();
  });
  CHECK(allowed(status));
}

TEST_CASE("a GPU's driver names its threads through /proc, and writes nothing else there") {
  // The child exits with the attempt's error, 0 if there was none. Its user is not root, as a worker's.
  auto const error_of = [](auto attempt) {
    int const status = status_in(
        {.data_bytes = data_bytes, .gpu = true, .opens_files = true},
        [&] { syscall(SYS_exit_group, attempt()); },
        [] {
          constexpr uid_t own = 64'103;
          if (geteuid() == 0 && setresuid(own, own, own) != 0) std::_Exit(1);
          prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); // the jail has set it
          if (!only_files(gpu_files({}))) std::_Exit(ENOSYS);
        });
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  auto const error_of_writing = [&](char const* path) {
    return error_of([=] { return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) < 0 ? errno : 0; });
  };
  if (error_of([] { return 0; }) == ENOSYS) {
    WARN("not tested: this kernel has no Landlock");
    return;
  }
  CHECK(error_of([] {
          entered = 0;
          std::thread other([] {
            while (entered == 0)
              sched_yield();
          });
          int const error = pthread_setname_np(other.native_handle(), "named"); // opens the file
          entered = 1;
          other.join();
          return error;
        }) == 0);
  for (char const* const path : {"/proc/thread-self/mem", "/proc/self/comm", "/proc/self/coredump_filter",
                                 "/proc/sys/kernel/hostname"}) {
    CAPTURE(path);
    CHECK(error_of_writing(path) == EACCES);
  }
}

TEST_CASE("threads that there were before are held, too") {
  auto const start_thread = [] {
    std::thread([] {
      while (entered == 0)
        sched_yield();
      syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
      syscall(SYS_exit_group, went_on);
    }).detach();
  };
  auto const wait_for_it = [] {
    for (;;)
      sched_yield();
  };
  CHECK(forbidden(status_of(wait_for_it, start_thread)));
}
