// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/jail.h"

#include "domA/worker/root_directory.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <grp.h>
#include <iterator>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <string_view>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace pegasus::worker {
namespace {

// Calls that no driver needs and that reach a file system, a process or the kernel itself. A driver that
// tries one gets an error and is not killed.
constexpr int never[] = {SCMP_SYS(execve),
                         SCMP_SYS(execveat),
                         SCMP_SYS(ptrace),
                         SCMP_SYS(process_vm_readv),
                         SCMP_SYS(process_vm_writev),
                         SCMP_SYS(kcmp),
                         SCMP_SYS(mount),
                         SCMP_SYS(umount2),
                         SCMP_SYS(pivot_root),
                         SCMP_SYS(chroot),
                         SCMP_SYS(unshare),
                         SCMP_SYS(setns),
                         SCMP_SYS(bpf),
                         SCMP_SYS(perf_event_open),
                         SCMP_SYS(userfaultfd),
                         SCMP_SYS(io_uring_setup),
                         SCMP_SYS(io_uring_enter),
                         SCMP_SYS(io_uring_register),
                         SCMP_SYS(init_module),
                         SCMP_SYS(finit_module),
                         SCMP_SYS(delete_module),
                         SCMP_SYS(kexec_load),
                         SCMP_SYS(kexec_file_load),
                         SCMP_SYS(reboot),
                         SCMP_SYS(keyctl),
                         SCMP_SYS(add_key),
                         SCMP_SYS(request_key),
                         SCMP_SYS(open_by_handle_at),
                         SCMP_SYS(name_to_handle_at),
                         SCMP_SYS(quotactl),
                         SCMP_SYS(fsopen),
                         SCMP_SYS(fsconfig),
                         SCMP_SYS(fsmount),
                         SCMP_SYS(fspick),
                         SCMP_SYS(open_tree),
                         SCMP_SYS(move_mount),
                         SCMP_SYS(mount_setattr),
                         SCMP_SYS(fanotify_init),
                         SCMP_SYS(fanotify_mark),
                         SCMP_SYS(pidfd_getfd),
                         SCMP_SYS(process_madvise),
                         SCMP_SYS(quotactl_fd),
                         SCMP_SYS(swapon),
                         SCMP_SYS(swapoff),
                         SCMP_SYS(acct),
                         SCMP_SYS(syslog),
                         SCMP_SYS(sethostname),
                         SCMP_SYS(setdomainname),
                         SCMP_SYS(clock_settime),
                         SCMP_SYS(settimeofday)};
constexpr std::uint64_t namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                        CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

void forbid() {
  scmp_filter_ctx const filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) refuse("seccomp", ENOMEM);
  auto const done = [](int error) {
    if (error != 0) refuse("seccomp", -error);
  };
  for (int const call : never)
    done(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0));
  for (std::uint64_t const flag : namespaces)
    done(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)));
  // clone3 hides its flags from the filter; without it the C library uses clone.
  done(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
  done(seccomp_load(filter));
  seccomp_release(filter);
}

// When memory runs out, Linux kills the workers before pegasusd and before the guests' device models.
void go_first() {
  int const fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return; // no /proc
  constexpr std::string_view score = "500";
  if (write(fd, score.data(), score.size()) < 0) refuse("oom_score_adj", errno);
  close(fd);
}

// Drops all capabilities from the bounding set: neither exec nor a file's capabilities can restore one.
// Without CAP_SETPCAP (EPERM) the set stays as it is; nothing is executed any more.
void empty_bounding_set() {
  unsigned long capability = 0;
  while (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0)
    ++capability;
  if (errno != EINVAL && errno != EPERM) refuse("the bounding set", errno); // EINVAL: that was the last one
}

void set_capabilities(bool keep_permitted) {
  cap_t const wanted = keep_permitted ? cap_get_proc() : cap_init();
  if (wanted == nullptr) refuse("capabilities", errno);
  if (keep_permitted) {
    constexpr cap_value_t mounts[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT};
    if (cap_set_flag(wanted, CAP_EFFECTIVE, std::size(mounts), mounts, CAP_SET) != 0)
      refuse("capabilities", errno);
  }
  if (cap_set_proc(wanted) != 0) refuse("capabilities", errno);
  cap_free(wanted);
}

void take_user(Jail const& jail) {
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) refuse("prctl", errno);
  // Denied in the user namespace of an ordinary user: the groups stay; the user has them anyway.
  gid_t const group = jail.device_group;
  if (setgroups(group != 0 ? 1 : 0, &group) != 0 && errno != EPERM) refuse("setgroups", errno);
  if (setresgid(jail.group, jail.group, jail.group) != 0) refuse("a group of its own", errno);
  if (setresuid(jail.user, jail.user, jail.user) != 0) refuse("a user of its own", errno);
}

} // namespace

void enter_jail(Jail const& jail, Files const& files) {
  go_first();
  std::optional<RootDirectory> root;
  if (jail.own_namespaces) root.emplace(files);
  empty_bounding_set();
  if (jail.own_user) take_user(jail);
  if (root) {
    if (jail.own_user) set_capabilities(true);
    root->enter();
  }
  set_capabilities(false);
  // A change of user clears PR_SET_PDEATHSIG (prctl(2)).
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    refuse("prctl", errno);
  forbid();
}

// Threads name themselves by their numbers in their PID namespace. The /proc of another one has other numbers for
// them, or the same ones for others.
bool proc_fits() {
  if (access("/proc", F_OK) != 0) return true;
  std::array<char, 16> self{};
  if (readlink("/proc/self", self.data(), self.size() - 1) < 0 || self.data() != std::to_string(getpid()))
    return false;
  int fd = -1;
  std::thread([&fd] {
    std::string const name = "/proc/self/task/" + std::to_string(gettid()) + "/comm";
    fd = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  }).join();
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool pegasusd_lives() {
  pollfd standard_error{STDERR_FILENO, 0, 0};
  return poll(&standard_error, 1, 0) == 0;
}

} // namespace pegasus::worker
