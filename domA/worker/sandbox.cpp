// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/sandbox.h"

#include "domA/guests/xen/worker_channel.h"
#include "domA/worker/refuse.h"
#include "domA/worker/refused_calls.h"
#include "domA/worker/sandbox_gpu.h"
#include "domA/worker/start.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

void limit(__rlimit_resource resource, rlim_t value, char const* name) {
  rlimit const bound{value, value};
  if (setrlimit(resource, &bound) == 0) return;
  int const error = errno;
  rlimit present{};
  if (getrlimit(resource, &present) == 0 && present.rlim_max < value)
    std::fprintf(
        stderr,
        "pegasus-avcpu: pegasusd was started with a limit (ulimit -a) of %llu, and a worker needs %llu\n",
        static_cast<unsigned long long>(present.rlim_max), static_cast<unsigned long long>(value));
  refuse(name, error);
}

// Memory, futexes, time, the process's own alarm, and exit.
constexpr int allowed[] = {
    SCMP_SYS(futex),           SCMP_SYS(munmap),       SCMP_SYS(brk),         SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),    SCMP_SYS(setitimer),   SCMP_SYS(sched_yield),
    SCMP_SYS(getcpu),          SCMP_SYS(getpid),       SCMP_SYS(gettid),      SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall), SCMP_SYS(exit),         SCMP_SYS(exit_group)};

constexpr std::uint64_t own_image = std::uint64_t{512} << 20; // programs, libraries, stacks
constexpr std::uint64_t max_file = std::uint64_t{64} << 20;   // of a driver: in memory, for printf
constexpr rlim_t max_files = 2048;                            // that a driver opens

class Filter {
public:
  explicit Filter(std::uint32_t otherwise) : filter_(seccomp_init(otherwise)) {
    if (filter_ == nullptr) refuse("seccomp", ENOMEM);
  }
  ~Filter() { seccomp_release(filter_); }
  Filter(Filter const&) = delete;
  Filter& operator=(Filter const&) = delete;

  [[nodiscard]] scmp_filter_ctx get() const { return filter_; }
  void allow(int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    check(seccomp_rule_add_array(filter_, SCMP_ACT_ALLOW, call, static_cast<unsigned>(arguments.size()),
                                 arguments.begin()));
  }
  void fail(int call, std::uint32_t error) {
    check(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(error), call, 0));
  }
  static void check(int error) {
    if (error != 0) refuse("seccomp rule", -error);
  }
  // Loads the filter into all threads, or fails and loads it into none.
  void load() {
    check(seccomp_attr_set(filter_, SCMP_FLTATR_CTL_TSYNC, 1));
    if (int const error = seccomp_load(filter_); error != 0) refuse("seccomp load", -error);
  }

private:
  scmp_filter_ctx filter_;
};

scmp_arg_cmp descriptor(int fd) { return SCMP_A0_32(SCMP_CMP_EQ, static_cast<scmp_datum_t>(fd), 0); }

// Memory can neither be shared nor become code. The only advice allowed is to return it to the kernel: own memory, and
// that of a file, which only what the worker can write can lose.
void allow_memory(Filter& filter) {
  auto const no_code = SCMP_A2_32(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  filter.allow(SCMP_SYS(mmap),
               {no_code, SCMP_A3_32(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS,
                                    MAP_PRIVATE | MAP_ANONYMOUS)});
  filter.allow(SCMP_SYS(mprotect), {no_code});
  for (int const advice : {MADV_DONTNEED, MADV_REMOVE})
    filter.allow(SCMP_SYS(madvise), {SCMP_A2_32(SCMP_CMP_EQ, static_cast<scmp_datum_t>(advice), 0)});
  // mremap could extend the page of a shared file over the pages behind it, other workers' claims (quota.h).
  // Without it realloc() copies.
  filter.fail(SCMP_SYS(mremap), ENOMEM);
}

// Standard output and error, the kick's eventfd, and the doorbell of a Xen guest: waiting for it (a write
// unmasks its event channel) and ringing it, but not binding others.
void allow_descriptors(Filter& filter) {
  for (int const fd : {STDOUT_FILENO, STDERR_FILENO, int{kick_fd}, int{doorbell_fd}})
    for (int const call : {SCMP_SYS(write), SCMP_SYS(writev)})
      filter.allow(call, {descriptor(fd)});
  filter.allow(SCMP_SYS(read), {descriptor(doorbell_fd)});
  filter.allow(SCMP_SYS(ioctl), {descriptor(doorbell_fd),
                                 SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(xen::ring_request()), 0)});
}

void give_descriptors_up(Sandbox const& sandbox) {
  for (int const fd : {start_fd, channel_fd, gate_fd, usage_fd, engine_fd, limits_fd, slots_fd, own_slot_fd,
                       code_fd, report_fd, host_window_fd})
    // A driver must not get their numbers: its permissions depend on the number (sandbox_gpu.cpp).
    if (sandbox.gpu ? dup2(STDIN_FILENO, fd) < 0 : close(fd) != 0 && errno != EBADF)
      refuse("descriptors", errno);
}

void set_limits(Sandbox const& sandbox) {
  limit(RLIMIT_CORE, 0, "no core files");
  limit(RLIMIT_DATA, sandbox.data_bytes, "bounded memory");
  limit(RLIMIT_NOFILE, sandbox.gpu ? max_files : rlim_t{descriptors_end}, "few descriptors");
  limit(RLIMIT_FSIZE, sandbox.gpu ? max_file : 0, "bounded files");
  if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) refuse("bounded files", errno); // beyond it calls fail
  if (!sandbox.gpu) // a driver maps the device's memory, and more
    limit(RLIMIT_AS, sandbox.data_bytes + sandbox.mapped_bytes + sandbox.reserved_bytes + own_image,
          "a bounded address space");
}

} // namespace

void close_inherited() {
  if (close_range(descriptors_end, ~0u, 0) != 0) refuse("close_range", errno);
}

void reserve_numbers() {
  for (int const fd : {doorbell_fd, host_window_fd})
    if (fcntl(fd, F_GETFD) < 0 && dup2(STDIN_FILENO, fd) < 0) refuse("descriptors", errno);
}

void enter_sandbox(Sandbox const& sandbox) {
  give_descriptors_up(sandbox);
  set_limits(sandbox);
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("prctl", errno);
  if (sandbox.names_refusals) name_refused_calls();
  Filter filter(sandbox.names_refusals ? SCMP_ACT_TRAP
                : sandbox.gpu          ? SCMP_ACT_ERRNO(EPERM)
                                       : SCMP_ACT_KILL_PROCESS);
  for (int const call : allowed)
    filter.allow(call);
  allow_memory(filter);
  allow_descriptors(filter);
  if (sandbox.gpu) Filter::check(allow_gpu(filter.get(), sandbox.opens_files));
  // abort() signals its own thread; signals to other processes are refused.
  filter.allow(SCMP_SYS(tgkill), {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()), 0)});
  filter.load();
}

} // namespace pegasus::worker
