// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/sandbox_gpu.h"

#include "domA/worker/start.h"

#include <cerrno>
#include <initializer_list>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

constexpr int calls[] = {
    SCMP_SYS(fstat),           SCMP_SYS(poll),         SCMP_SYS(ppoll),        SCMP_SYS(eventfd2),
    SCMP_SYS(pipe2),           SCMP_SYS(sysinfo),      SCMP_SYS(uname),        SCMP_SYS(sched_getaffinity),
    SCMP_SYS(get_mempolicy),   SCMP_SYS(mbind),        SCMP_SYS(mlock),        SCMP_SYS(munlock),
    SCMP_SYS(set_robust_list), SCMP_SYS(rseq),         SCMP_SYS(clock_getres), SCMP_SYS(getuid),
    SCMP_SYS(geteuid),         SCMP_SYS(getgid),       SCMP_SYS(getegid),      SCMP_SYS(getppid),
    SCMP_SYS(membarrier),      SCMP_SYS(memfd_create),
};
// Allowed on the driver's own descriptors, and on the file that receives the output of kernels' printf. Not
// allowed on the descriptors from pegasusd, whose contents and blocking mode pegasusd shares.
constexpr int descriptor_calls[] = {
    SCMP_SYS(ioctl), SCMP_SYS(read),      SCMP_SYS(pread64), SCMP_SYS(close),
    SCMP_SYS(lseek), SCMP_SYS(ftruncate), SCMP_SYS(fcntl),   SCMP_SYS(dup),
    SCMP_SYS(write), SCMP_SYS(writev),    SCMP_SYS(recvmsg)}; // on sockets that are already open
constexpr int file_calls[] = {SCMP_SYS(openat), SCMP_SYS(open),      SCMP_SYS(newfstatat),
                              SCMP_SYS(stat),   SCMP_SYS(readlink),  SCMP_SYS(readlinkat),
                              SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
                              SCMP_SYS(statx),  SCMP_SYS(getdents64)};
constexpr int advices[] = {MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE};

// The comparison is unsigned; a negative value is not a descriptor.
scmp_arg_cmp own_descriptor() { return SCMP_A0_32(SCMP_CMP_GE, descriptors_end, 0); }

} // namespace

int allow_gpu(scmp_filter_ctx filter, bool files) {
  int error = 0;
  auto const allow = [&](int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    if (error == 0)
      error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, static_cast<unsigned>(arguments.size()),
                                     arguments.begin());
  };
  for (int const call : calls)
    allow(call);
  for (int const call : descriptor_calls) {
    allow(call, {own_descriptor()});
    if (call != SCMP_SYS(close) && call != SCMP_SYS(ioctl))
      allow(call, {SCMP_A0_32(SCMP_CMP_EQ, STDOUT_FILENO, 0)});
  }
  if (files)
    for (int const call : file_calls)
      allow(call);
  // Device memory and registers are mapped shared; libraries that are loaded late are mapped as code
  // that cannot be written.
  allow(SCMP_SYS(mmap), {SCMP_A2_32(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  allow(SCMP_SYS(mmap),
        {SCMP_A2_32(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC),
         SCMP_A3_32(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS, MAP_PRIVATE)});
  for (int const advice : advices)
    allow(SCMP_SYS(madvise), {SCMP_A2_32(SCMP_CMP_EQ, static_cast<scmp_datum_t>(advice), 0)});
  // Allows threads, but not processes. clone3 hides its flags from the filter; without it the C
  // library uses clone.
  allow(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)});
  if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  return error;
}

} // namespace pegasus::worker
