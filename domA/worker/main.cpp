// SPDX-License-Identifier: Apache-2.0
// pegasus-avcpu: one process per guest task. Started by pegasusd only, with the descriptors of start.h.
#include "domA/device/software/software_device.h"
#include "domA/worker/channel.h"
#include "domA/worker/sandbox.h"
#include "domA/worker/start.h"
#include "domA/worker/worker.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace pegasus;

[[noreturn]] void fail(char const* what) {
  std::fprintf(stderr, "pegasus-avcpu: %s: %s (it is started by pegasusd, not by hand)\n", what,
               std::strerror(errno));
  std::exit(70);
}

std::byte* map(int fd, std::size_t bytes, int protection) {
  void* const pages = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (pages == MAP_FAILED) fail("cannot map what pegasusd shares");
  return static_cast<std::byte*>(pages);
}

template <class T> T& map_as(int fd, int protection = PROT_READ | PROT_WRITE) {
  return *reinterpret_cast<T*>(map(fd, sizeof(T), protection));
}

struct DeviceParts {
  software::EngineSeat seat;
  std::uint32_t seat_number;
  worker::AcceleratorPage& accelerator;
  worker::DomainPage& domain;
  std::uint64_t memory_bytes;
};

std::unique_ptr<device::Context> make_context(void* argument) {
  auto& parts = *static_cast<DeviceParts*>(argument);
  return software::make_software_context({.memory_bytes = parts.memory_bytes,
                                          .engine = &parts.seat,
                                          .domain = &parts.domain.memory,
                                          .accelerator = &parts.accelerator.memory,
                                          .seat = parts.seat_number});
}

// Private memory: the address space of device memory, which is twice its size (exec/memory.cpp); a gigabyte
// for the local memory of a block, another for module images, their parsed form and lowered code.
constexpr std::uint64_t private_bytes(std::uint64_t device_memory) {
  return 2 * device_memory + (std::uint64_t{2} << 30);
}

} // namespace

int main() {
  worker::Start start{};
  if (pread(worker::start_fd, &start, sizeof start, 0) != sizeof start) fail("cannot read the start block");
  prctl(PR_SET_PDEATHSIG, SIGKILL); // without pegasusd nobody opens our gate
  if (getppid() != start.daemon_pid) fail("pegasusd is gone");
  auto const channel = worker::open_channel(start);
  if (!channel) {
    std::fprintf(stderr, "pegasus-avcpu: %s\n", channel.error().c_str());
    return 70;
  }
  auto const& gate = map_as<gate::GatePage const>(worker::gate_fd, PROT_READ);
  auto& usage = map_as<gate::UsagePage>(worker::usage_fd);
  auto& accelerator = map_as<worker::AcceleratorPage>(worker::accelerator_fd);
  DeviceParts parts{software::EngineSeat(&accelerator.engine, start.seat), start.seat, accelerator,
                    map_as<worker::DomainPage>(worker::domain_fd), start.memory_bytes};
  worker::enter_sandbox(private_bytes(start.memory_bytes));

  ring::RequestRing ring(channel->memory, start.geometry);
  avcpu::CallHandler handler(make_context, &parts);
  avcpu::Avcpu avcpu(ring, handler, gate, usage);
  worker::Worker(avcpu, ring, *channel->doorbell, gate, worker::bell_fd).run();
  std::fprintf(stderr, "pegasus-avcpu: the call buffer is inconsistent; closing it\n");
  // pegasusd tells the guest why. Not by return: to let go of a Xen guest's pages one by one is beyond the
  // sandbox.
  std::_Exit(71);
}
