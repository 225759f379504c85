// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/refused_calls.h"

#include "domA/worker/refuse.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <seccomp.h>
#include <ucontext.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

constexpr int most_calls = 512;
using Line = std::array<char, 96>;

std::array<Line, most_calls> lines; // made before: a handler of a signal may not allocate
std::array<std::atomic<bool>, most_calls> said;

void on_refusal(int, siginfo_t* what, void* context) {
  int const call = what->si_syscall;
  if (call >= 0 && call < most_calls && !said[static_cast<std::size_t>(call)].exchange(true)) {
    Line const& line = lines[static_cast<std::size_t>(call)];
    (void)!write(STDERR_FILENO, line.data(), std::strlen(line.data()));
  }
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

} // namespace

void name_refused_calls() {
  for (int call = 0; call < most_calls; ++call) {
    char* const name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
    std::snprintf(lines[static_cast<std::size_t>(call)].data(), sizeof(Line),
                  "pegasus-avcpu: the sandbox refuses system call %s (%d)\n", name == nullptr ? "?" : name,
                  call);
    std::free(name);
  }
  struct sigaction action {};
  action.sa_sigaction = on_refusal;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) refuse("naming refused calls", errno);
}

} // namespace pegasus::worker
