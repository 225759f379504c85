// SPDX-License-Identifier: Apache-2.0
// Tests the filter of the jail by itself, under which a driver starts. Most of what it forbids the
// kernel also denies to a process without capabilities. The test therefore installs another filter
// below: it answers ENOSYS to the calls that the jail's filter allows, whatever the kernel would say,
// and nothing is carried out.
#include "domA/worker/jail.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus::worker;

namespace {

struct NamedCall {
  char const* name;
  int number;
};

// Programs, other processes, the file system, and the kernel itself.
constexpr NamedCall beyond_a_driver[] = {{"execve", SYS_execve},
                                         {"execveat", SYS_execveat},
                                         {"ptrace", SYS_ptrace},
                                         {"process_vm_readv", SYS_process_vm_readv},
                                         {"process_vm_writev", SYS_process_vm_writev},
                                         {"kcmp", SYS_kcmp},
                                         {"mount", SYS_mount},
                                         {"umount2", SYS_umount2},
                                         {"pivot_root", SYS_pivot_root},
                                         {"chroot", SYS_chroot},
                                         {"unshare", SYS_unshare},
                                         {"setns", SYS_setns},
                                         {"bpf", SYS_bpf},
                                         {"perf_event_open", SYS_perf_event_open},
                                         {"userfaultfd", SYS_userfaultfd},
                                         {"io_uring_setup", SYS_io_uring_setup},
                                         {"io_uring_enter", SYS_io_uring_enter},
                                         {"io_uring_register", SYS_io_uring_register},
                                         {"init_module", SYS_init_module},
                                         {"finit_module", SYS_finit_module},
                                         {"delete_module", SYS_delete_module},
                                         {"kexec_load", SYS_kexec_load},
                                         {"kexec_file_load", SYS_kexec_file_load},
                                         {"reboot", SYS_reboot},
                                         {"keyctl", SYS_keyctl},
                                         {"add_key", SYS_add_key},
                                         {"request_key", SYS_request_key},
                                         {"open_by_handle_at", SYS_open_by_handle_at},
                                         {"name_to_handle_at", SYS_name_to_handle_at},
                                         {"quotactl", SYS_quotactl},
                                         {"fsopen", SYS_fsopen},
                                         {"fsconfig", SYS_fsconfig},
                                         {"fsmount", SYS_fsmount},
                                         {"fspick", SYS_fspick},
                                         {"open_tree", SYS_open_tree},
                                         {"move_mount", SYS_move_mount},
                                         {"mount_setattr", SYS_mount_setattr},
                                         {"fanotify_init", SYS_fanotify_init},
                                         {"fanotify_mark", SYS_fanotify_mark},
                                         {"pidfd_getfd", SYS_pidfd_getfd},
                                         {"process_madvise", SYS_process_madvise},
                                         {"quotactl_fd", SYS_quotactl_fd},
                                         {"swapon", SYS_swapon},
                                         {"swapoff", SYS_swapoff},
                                         {"acct", SYS_acct},
                                         {"syslog", SYS_syslog},
                                         {"sethostname", SYS_sethostname},
                                         {"setdomainname", SYS_setdomainname},
                                         {"clock_settime", SYS_clock_settime},
                                         {"settimeofday", SYS_settimeofday}};

// A few examples of the calls that are not named above.
constexpr NamedCall of_a_driver[] = {{"ioctl", SYS_ioctl},
                                     {"clone", SYS_clone},
                                     {"socket", SYS_socket},
                                     {"connect", SYS_connect},
                                     {"memfd_create", SYS_memfd_create},
                                     {"sched_setaffinity", SYS_sched_setaffinity},
                                     {"mlock", SYS_mlock},
                                     {"eventfd2", SYS_eventfd2}};

// Uses an action that ranks below a refusal and that gives ENOSYS without a tracer (seccomp(2)).
void carry_nothing_out() {
  scmp_filter_ctx const filter = seccomp_init(SCMP_ACT_ALLOW);
  bool made = filter != nullptr;
  for (NamedCall const& call : beyond_a_driver)
    made = made && seccomp_rule_add(filter, SCMP_ACT_TRACE(0), call.number, 0) == 0;
  for (NamedCall const& call : of_a_driver)
    made = made && seccomp_rule_add(filter, SCMP_ACT_TRACE(0), call.number, 0) == 0;
  if (!made || seccomp_load(filter) != 0) _exit(1);
  seccomp_release(filter);
}

// Returns the wait status of a child that runs `before`, enters a jail without namespaces and
// users, and runs `what`.
template <class Before, class What> int jailed(Before before, What what) {
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    before();
    enter_jail(Jail{}, Files{});
    _exit(what());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

// The error of `call` in a process in the jail; 0 if it does not fail.
int error_of(int call) {
  int const status =
      jailed(carry_nothing_out, [call] { return syscall(call, 0, 0, 0, 0, 0, 0) == -1 ? errno : 0; });
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// What the last of these processes returns: the first of a PID namespace, with a /proc of it, which is the
// second of another one. -1: this machine does not let us make them.
template <class What> int with_proc_of_another_namespace(What what) {
  constexpr int not_here = 77;
  auto const in_child = [](auto inner) {
    pid_t const child = fork();
    if (child == 0) _exit(inner());
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : not_here;
  };
  int const result = in_child([&] {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) return not_here;
    return in_child([&] {
      bool const ready = mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("proc", "/proc", "proc", 0, nullptr) == 0 && unshare(CLONE_NEWPID) == 0;
      return ready ? in_child(what) : not_here;
    });
  });
  return result == not_here ? -1 : result;
}

bool exits_with_none(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

} // namespace

TEST_CASE("programs, other processes, mounts and the kernel are out of a driver's reach") {
  for (NamedCall const& call : beyond_a_driver) {
    CAPTURE(call.name);
    CHECK(error_of(call.number) == EPERM);
  }
}

TEST_CASE("a driver starts threads and processes, but no namespaces") {
  for (int const flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
                         CLONE_NEWCGROUP}) {
    CAPTURE(flag);
    int const status = jailed(carry_nothing_out, [flag] {
      return syscall(SYS_clone, long{flag | CLONE_FILES | SIGCHLD}, 0, 0, 0, 0) == -1 ? errno : 0;
    });
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == EPERM));
  }
  // Its flags are not to be seen; the C library takes clone then.
  CHECK(error_of(SYS_clone3) == ENOSYS);
}

// The filter below would answer these itself.
TEST_CASE("... also by the numbers of another ABI") {
  constexpr int x32 = 0x40000000;
  int const status = jailed([] {}, [] { return syscall(x32 | SYS_ptrace, 0, 0, 0, 0) == -1 ? 1 : 0; });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS));
}

TEST_CASE("what a driver needs to come up is not refused") {
  for (NamedCall const& call : of_a_driver) {
    CAPTURE(call.name);
    CHECK(error_of(call.number) == ENOSYS);
  }
}

TEST_CASE("a driver opens files and sockets, loads code and starts threads, and these are in the jail too") {
  int const status = jailed([] {},
                            [] {
                              int const file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
                              bool works = file >= 0 && mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE,
                                                             file, 0) != MAP_FAILED;
                              works = works && socket(AF_UNIX, SOCK_STREAM, 0) >= 0 && eventfd(0, 0) >= 0;
                              pthread_t thread{};
                              void* refused = nullptr;
                              auto const try_it = [](void*) -> void* {
                                return syscall(SYS_unshare, 0) == -1 && errno == EPERM ? &errno : nullptr;
                              };
                              works = works && pthread_create(&thread, nullptr, try_it, nullptr) == 0 &&
                                      pthread_join(thread, &refused) == 0 && refused != nullptr;
                              return works ? 0 : 1;
                            });
  CHECK(exits_with_none(status));
}

// There the number of a worker's second thread is that of its first one.
TEST_CASE("a /proc of another PID namespace does not fit, whatever the numbers in it") {
  CHECK(proc_fits());
  int const fits = with_proc_of_another_namespace([] { return proc_fits() ? 1 : 0; });
  if (fits < 0) WARN("not tried: no PID namespace with a /proc can be made here");
  CHECK(fits <= 0);
}
