// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/sandbox.h"

#include "domA/worker/sandbox_gpu.h"
#include "domA/worker/start.h"
#include "domA/xen/worker_channel.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

[[noreturn]] void refuse(char const* what, int error) {
  std::fprintf(stderr, "pegasus-avcpu: cannot enter the sandbox: %s: %s\n", what, std::strerror(error));
  std::_Exit(70);
}

void limit(__rlimit_resource resource, rlim_t value, char const* name) {
  rlimit const bound{value, value};
  if (setrlimit(resource, &bound) != 0) refuse(name, errno);
}

// Memory, futexes, time, the bell, standard error, and the end.
constexpr int allowed[] = {SCMP_SYS(futex),
                           SCMP_SYS(mmap),
                           SCMP_SYS(munmap),
                           SCMP_SYS(mremap),
                           SCMP_SYS(mprotect),
                           SCMP_SYS(madvise),
                           SCMP_SYS(brk),
                           SCMP_SYS(clock_gettime),
                           SCMP_SYS(clock_nanosleep),
                           SCMP_SYS(nanosleep),
                           SCMP_SYS(sched_yield),
                           SCMP_SYS(getcpu),
                           SCMP_SYS(write),
                           SCMP_SYS(writev),
                           SCMP_SYS(getpid),
                           SCMP_SYS(gettid),
                           SCMP_SYS(rt_sigprocmask),
                           SCMP_SYS(rt_sigaction),
                           SCMP_SYS(rt_sigreturn),
                           SCMP_SYS(sigaltstack),
                           SCMP_SYS(getrandom),
                           SCMP_SYS(restart_syscall),
                           SCMP_SYS(exit),
                           SCMP_SYS(exit_group)};

// The doorbell of a Xen guest: waiting for it and ringing it, not binding others.
int allow_doorbell(scmp_filter_ctx filter) {
  auto const doorbell = SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(doorbell_fd), 0);
  int const error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(read), 1, doorbell);
  return error != 0
             ? error
             : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 2, doorbell,
                                SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(xen::ring_request()), 0));
}

} // namespace

void close_inherited() {
  if (close_range(descriptors_end, ~0u, 0) != 0) refuse("close_range", errno);
}

void enter_sandbox(Sandbox const& sandbox) {
  for (int const fd : {start_fd, channel_fd, gate_fd, usage_fd, accelerator_fd, domain_fd})
    close(fd);
  limit(RLIMIT_CORE, 0, "no core files");
  limit(RLIMIT_DATA, sandbox.data_bytes, "bounded memory");
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("prctl", errno);
  bool const files = sandbox.gpu && only_gpu_files(*sandbox.gpu);
  scmp_filter_ctx const filter = seccomp_init(sandbox.gpu ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);
  if (filter == nullptr) refuse("seccomp", ENOMEM);
  for (int const call : allowed)
    if (int const refused = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); refused != 0)
      refuse("seccomp rule", -refused);
  int error = sandbox.gpu ? allow_gpu(filter, files) : allow_doorbell(filter);
  // abort() signals its own thread; nobody else.
  if (error == 0)
    error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()), 0));
  if (error != 0) refuse("seccomp rule", -error);
  if ((error = seccomp_load(filter)) != 0) refuse("seccomp load", -error);
  seccomp_release(filter);
}

} // namespace pegasus::worker
