// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/sandbox_gpu.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t writing = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
// All that the first version of Landlock knows: what is not allowed below is refused.
constexpr std::uint64_t handled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

void allow_path(int ruleset, char const* path, std::uint64_t access) {
  int const fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return; // not on this machine
  landlock_path_beneath_attr const rule{.allowed_access = access, .parent_fd = fd};
  (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(fd);
}

constexpr int calls[] = {
    SCMP_SYS(ioctl),
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(lseek),
    SCMP_SYS(ftruncate),
    SCMP_SYS(fcntl),
    SCMP_SYS(dup),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(eventfd2),
    SCMP_SYS(pipe2),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(mbind),
    SCMP_SYS(mlock),
    SCMP_SYS(munlock),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(clock_getres),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getppid),
    SCMP_SYS(membarrier),
    SCMP_SYS(sched_yield),
    SCMP_SYS(recvmsg), // on sockets that are open already
};
constexpr int file_calls[] = {SCMP_SYS(openat), SCMP_SYS(open),      SCMP_SYS(newfstatat),
                              SCMP_SYS(stat),   SCMP_SYS(readlink),  SCMP_SYS(readlinkat),
                              SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
                              SCMP_SYS(statx),  SCMP_SYS(getdents64)};

} // namespace

bool only_gpu_files(std::vector<std::string> const& nodes) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = handled;
  int const ruleset = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (ruleset < 0) return false;
  for (std::string const& node : nodes)
    allow_path(ruleset, node.c_str(), writing);
  for (char const* const path :
       {"/proc", "/sys", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"})
    allow_path(ruleset, path, reading | LANDLOCK_ACCESS_FS_EXECUTE);
  for (char const* const path : {"/dev/null", "/dev/zero"})
    allow_path(ruleset, path, writing);
  bool const restricted = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return restricted;
}

int allow_gpu(scmp_filter_ctx filter, bool files) {
  int error = 0;
  for (int const call : calls)
    if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  if (files)
    for (int const call : file_calls)
      if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  // Threads, not processes. clone3 hides its flags from the filter; without it the C library uses clone.
  if (error == 0)
    error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  return error;
}

} // namespace pegasus::worker
