// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::nested {
namespace {

std::string file_of(std::uint32_t process, char const* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

bool uses_cuda(std::uint32_t process) {
  std::ifstream maps(file_of(process, "maps"));
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libcuda.so") != std::string::npos || line.find("/libcudart.so") != std::string::npos)
      return true;
  return false;
}

} // namespace

Program::Program(std::uint32_t process)
    : process_(process), pidfd_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) {
  std::ifstream comm(file_of(process, "comm"));
  if (!std::getline(comm, name_)) name_ = "?";
  if (pidfd_ && uses_cuda(process)) return;
  std::fprintf(stderr, "process %u (%s) is not stopped: %s\n", process, name_.c_str(),
               pidfd_ ? "it does not use CUDA, or is another user's" : std::strerror(errno));
  pidfd_.reset();
}

void Program::set_stopped(bool stopped) {
  if (!pidfd_ || stopped == stopped_) return;
  if (syscall(SYS_pidfd_send_signal, pidfd_.get(), stopped ? SIGSTOP : SIGCONT, nullptr, 0) == 0)
    stopped_ = stopped;
}

} // namespace pegasus::nested
