// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/linux_processes.h"

#include "base/unique_fd.h"

#include <fstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::nested {
namespace {

class LinuxProcess final : public Process {
public:
  LinuxProcess(std::uint32_t number, base::UniqueFd pidfd) : number_(number), pidfd_(std::move(pidfd)) {}

  std::string name() const override {
    std::string name;
    std::ifstream comm(file("comm"));
    std::getline(comm, name);
    return name;
  }

  bool uses_cuda() const override {
    std::ifstream maps(file("maps"));
    for (std::string line; std::getline(maps, line);)
      if (line.find("/libcuda.so") != std::string::npos || line.find("/libcudart.so") != std::string::npos)
        return true;
    return false;
  }

  bool signal(int signal) override {
    return syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0;
  }

private:
  [[nodiscard]] std::string file(char const* name) const {
    return "/proc/" + std::to_string(number_) + "/" + name;
  }

  std::uint32_t number_;
  base::UniqueFd pidfd_;
};

} // namespace

std::unique_ptr<Process> LinuxProcesses::open(std::uint32_t number) {
  base::UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, number, 0)));
  if (!pidfd) return nullptr;
  return std::make_unique<LinuxProcess>(number, std::move(pidfd));
}

} // namespace pegasus::nested
