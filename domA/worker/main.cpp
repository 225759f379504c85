// SPDX-License-Identifier: Apache-2.0
// pegasus-avcpu: one process per guest task. Started by pegasusd only, with the descriptors of start.h.
#include "domA/worker/accelerator.h"
#include "domA/worker/alarm.h"
#include "domA/worker/channel.h"
#include "domA/worker/engine_wait.h"
#include "domA/worker/kinds.h"
#include "domA/worker/orders.h"
#include "domA/worker/probe.h"
#include "domA/worker/sandbox.h"
#include "domA/worker/start.h"
#include "domA/worker/worker.h"
#include "frontend/protocol/handshake.h"
#include "frontend/protocol/hybrid_spin.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace pegasus;

[[noreturn]] void fail(char const* what) {
  std::fprintf(stderr, "pegasus-avcpu: %s: %s (it is started by pegasusd, not by hand)\n", what,
               std::strerror(errno));
  std::exit(worker::Exit::not_started);
}

// If T is const, the mapping is read-only. `index`: the position of the T in the file.
template <class T> T& map_as(int fd, std::uint32_t index = 0) {
  void* const pages =
      mmap(nullptr, sizeof(T), std::is_const_v<T> ? PROT_READ : PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_POPULATE, fd, static_cast<off_t>(index) * static_cast<off_t>(sizeof(T)));
  if (pages == MAP_FAILED) fail("cannot map what pegasusd shares");
  return *static_cast<T*>(pages);
}

// Its pages count as the memory of the worker that first writes them.
std::span<std::byte> map_bytes(int fd, std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages == MAP_FAILED) fail("cannot map what pegasusd shares");
  return {static_cast<std::byte*>(pages), bytes};
}

std::unique_ptr<device::Context> make_context(void* accelerator) {
  return static_cast<worker::Accelerator*>(accelerator)->make_context();
}

template <clockid_t clock> device::Nanos time_of() {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// A worker sleeps for 20 us at a time while the device works. Linux may make 70 us of it, to wake
// several at once.
void sleep_precisely() { prctl(PR_SET_TIMERSLACK, 1'000UL); } // ns; if it fails, sleeps are longer

worker::Start read_start() {
  worker::Start start{};
  if (pread(worker::start_fd, &start, sizeof start, 0) != sizeof start) fail("cannot read the start block");
  start.device.driver[sizeof start.device.driver - 1] = '\0';
  start.device.driver_files[sizeof start.device.driver_files - 1] = '\0';
  start.device.pci[sizeof start.device.pci - 1] = '\0';
  return start;
}

int refuse(std::string const& why, int status) {
  std::fprintf(stderr, "pegasus-avcpu: %s\n", why.c_str());
  return status;
}

// Until the guest breaks its ring.
[[noreturn]] void execute_calls(worker::Accelerator& accelerator, worker::Start const& start,
                                worker::Channel const& channel, worker::Worker::Pages const& pages,
                                worker::EngineWait& engine_wait, std::span<std::byte> report) {
  ring::RequestRing ring(channel.memory, start.geometry);
  std::atomic_ref(ring.header().poll_ns)
      .store(device::kinds[start.device.kind].runs_on_cpus ? PEGASUS_SPIN_MAX_NS : PEGASUS_SPIN_GPU_NS);
  avcpu::CallHandler handler(make_context, &accelerator);
  avcpu::Avcpu avcpu(ring, handler, pages.gate, pages.usage,
                     {.host = time_of<CLOCK_THREAD_CPUTIME_ID>, .lease = time_of<CLOCK_MONOTONIC>});
  worker::Orders orders(handler, report);
  auto const obey = [&orders](gate::Order const& order) { return orders.obey(order); };
  engine_wait.obey_with(obey);
  worker::Worker(avcpu, ring, *channel.doorbell, pages, worker::kick_fd, obey).run();
  std::fprintf(stderr, "pegasus-avcpu: the call buffer is inconsistent; closing it\n");
  // pegasusd tells the guest why. No return: the sandbox does not allow unmapping a Xen
  // guest's pages one by one.
  std::_Exit(worker::Exit::broken_ring);
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::string_view(argv[1]) == worker::probe_argument)
    return worker::probe(argv[2], {.driver = argv[3],
                                   .ordinal = std::atoi(argv[4]),
                                   .compute_capability = static_cast<std::uint32_t>(std::atoi(argv[5]))});
  worker::Start const start = read_start();
  worker::KindOfWorker const* const kind = worker::kind_of_worker(start.device.kind);
  if (kind == nullptr)
    return refuse("pegasusd is of another release: it names an unknown kind of accelerator",
                  worker::Exit::not_started);
  worker::Files const files = kind->files(start.device);
  if (argc == 2 && std::string_view(argv[1]) == worker::jail_argument) {
    worker::enter_jail(start.jail, files);
    return worker::proc_fits() ? 0 : worker::Exit::not_started;
  }
  auto const channel = worker::open_channel(start);
  if (!channel) return refuse(channel.error(), worker::Exit::not_started);
  auto const& gate = map_as<gate::GatePage const>(worker::gate_fd);
  auto& usage = map_as<gate::UsagePage>(worker::usage_fd);
  auto const& slots = map_as<shared::SlotPages const>(worker::slots_fd);
  auto& own_slot = map_as<shared::SlotPage>(worker::own_slot_fd, start.slot);
  worker::EngineWait engine_wait(gate, usage, worker::kick_fd);
  worker::Shared const shared{
      .engine = map_as<shared::EngineAccess const>(worker::engine_fd),
      .slots = slots,
      .own_slot = own_slot,
      .engine_wait = engine_wait,
      .memory = {.limits = &map_as<memory::QuotaLimits const>(worker::limits_fd),
                 .pages = &slots,
                 .own = &own_slot.claim,
                 .slot = start.slot},
      .arena = std::span(channel->memory, start.geometry.total_bytes).subspan(start.geometry.arena_offset),
      .host_window = {PEGASUS_HOST_WINDOW, channel->host_window},
      .code_cache = device::kinds[start.device.kind].has_driver
                        ? map_bytes(worker::code_fd, worker::code_cache_bytes)
                        : std::span<std::byte>{},
      .executing_since = usage.executing_since_ns,
      .pageable = usage.pageable};
  auto const report = map_bytes(worker::report_fd, gate::report_bytes);
  worker::close_inherited();
  worker::Confinement const confinement = start.jail.confinement;
  bool const sandboxed = confinement == worker::Confinement::all || confinement == worker::Confinement::trace;
  if (confinement != worker::Confinement::none) worker::enter_jail(start.jail, files);
  if (!worker::pegasusd_lives()) fail("pegasusd is gone");
  sleep_precisely();
  worker::wake_for_orders();
  worker::prepare_alarm(std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(start.device.module_load_ns)));
  worker::Sandbox sandbox = sandboxed ? kind->sandbox(start.jail, files) : worker::Sandbox{};
  auto const accelerator = kind->open(start, shared);
  if (!accelerator) return refuse(accelerator.error(), worker::Exit::no_context);
  sandbox.data_bytes = (*accelerator)->private_bytes();
  sandbox.reserved_bytes = (*accelerator)->reserved_bytes();
  sandbox.mapped_bytes = start.geometry.total_bytes + channel->host_window.size();
  sandbox.names_refusals = confinement == worker::Confinement::trace;
  if (sandboxed) worker::enter_sandbox(sandbox);
  execute_calls(**accelerator, start, *channel, {gate, usage}, engine_wait, report);
}
