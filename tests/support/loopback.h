// SPDX-License-Identifier: Apache-2.0
// Both ends of the real call path in one process: a guest channel here, an aVCPU with its waiting loop on
// another thread, a call buffer between them. Except for the processes this is the production code.
#pragma once

#include "base/futex.h"
#include "domA/worker/worker.h"
#include "frontend/channel/ring_channel.h"
#include "tests/support/null_device.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace pegasus::testing {

class LoopbackTransport final : public frontend::Transport {
public:
  explicit LoopbackTransport(ring::Geometry const& geometry) {
    void* const pages = mmap(nullptr, geometry.total_bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    memory_ = static_cast<std::byte*>(pages);
    ring::initialize(memory_, geometry);
    connect_reply_.channel_bytes = geometry.total_bytes;
    connect_reply_.slots = geometry.slots;
    connect_reply_.arena_bytes = geometry.arena_bytes;
  }
  ~LoopbackTransport() override { munmap(memory_, connect_reply_.channel_bytes); }

  std::byte* memory() const override { return memory_; }
  pegasus_connect_reply const& connect_reply() const override { return connect_reply_; }
  [[nodiscard]] frontend::Layout layout() const { return *frontend::layout_of(memory_, connect_reply_); }
  void wake(std::uint32_t* word) override {
    ++system_calls;
    base::futex_wake(*word);
  }
  void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) override {
    ++system_calls;
    base::futex_wait(*word, value, std::chrono::nanoseconds(timeout_ns));
  }
  void leave() override {}
  void abandon() override {}
  bool hung_up() override { return false; }

  std::atomic<std::uint64_t> system_calls = 0; // by the guest's side

private:
  std::byte* memory_;
  pegasus_connect_reply connect_reply_{};
};

inline std::unique_ptr<device::Context> make_null_context(void*) { return std::make_unique<NullContext>(); }

// Ends its worker by corrupting the ring, as a hostile guest would.
class Loopback {
public:
  // `on_worker_start` runs first on the worker's thread, for example to pin it.
  explicit Loopback(ring::Geometry const& geometry, void (*on_worker_start)(),
                    avcpu::CallHandler::ContextFactory make_context = make_null_context)
      : transport_(geometry), request_ring_(transport_.memory(), geometry), kick_(eventfd(0, EFD_NONBLOCK)),
        channel_(transport_, transport_.layout()) {
    gate_.word.store(gate::word_open);
    worker_ = std::thread([this, on_worker_start, make_context] {
      on_worker_start();
      avcpu::CallHandler handler(make_context, nullptr);
      avcpu::Avcpu avcpu(request_ring_, handler, gate_, usage_);
      worker::FutexDoorbell doorbell;
      worker::Worker(avcpu, request_ring_, doorbell, {gate_, usage_}, kick_, [](gate::Order const&) {
        return gate::Answer{.status = gate::OrderStatus::unknown};
      }).run();
    });
  }
  ~Loopback() {
    auto* const requests =
        reinterpret_cast<pegasus_request*>(transport_.memory() + request_ring_.header().request_offset);
    for (std::uint32_t slot = 0; slot < request_ring_.header().slots; ++slot)
      std::atomic_ref(requests[slot].sequence).store(0x80000000u);
    std::atomic_ref(request_ring_.header().worker_parked).fetch_add(2);
    transport_.wake(&request_ring_.header().worker_parked);
    worker_.join();
    close(kick_);
  }
  Loopback(Loopback const&) = delete;
  Loopback& operator=(Loopback const&) = delete;

  [[nodiscard]] frontend::RingChannel& channel() { return channel_; }
  [[nodiscard]] LoopbackTransport& transport() { return transport_; }
  [[nodiscard]] gate::UsagePage const& usage() const { return usage_; }
  [[nodiscard]] std::uint64_t daemon_rings() const {
    std::uint64_t rings = 0;
    return read(kick_, &rings, sizeof rings) == sizeof rings ? rings : 0;
  }

private:
  LoopbackTransport transport_;
  ring::RequestRing request_ring_;
  gate::GatePage gate_{};
  gate::UsagePage usage_{};
  int kick_;
  frontend::RingChannel channel_;
  std::thread worker_;
};

} // namespace pegasus::testing
