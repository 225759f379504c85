// SPDX-License-Identifier: Apache-2.0
// The one channel of this process: opened at the first call, left after the exit handlers, which may still
// call CUDA, and not usable by the children of fork().
#include "frontend/channel/ring_channel.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <pthread.h>
#include <unistd.h>

namespace pegasus::frontend {
namespace {

constexpr int cuda_not_initialized = 3;
constexpr int cuda_deinitialized = 4;
constexpr int cuda_system_driver_mismatch = 803;

std::atomic<RingChannel*> process_channel = nullptr;
std::atomic<bool> forked = false;
std::mutex open_mutex;
int open_status = 0; // the first failure is final: CUDA's cuInit behaves so too

std::atomic<Transport*> process_transport = nullptr;
std::atomic<bool> opening = false; // open_mutex is held, by a thread that no child has, and maybe for long

pid_t opened_by = 0; // process_transport; no child that is made without fork()
std::atomic<bool> left = false;

// After all exit handlers and the destructors of what was loaded on top of this library. Who calls CUDA later
// still, another thread say, is told so.
[[gnu::destructor]] void leave() {
  Transport* const transport = process_transport.load(std::memory_order_acquire);
  if (transport == nullptr || opened_by != getpid()) return;
  left.store(true, std::memory_order_relaxed);
  transport->leave();
}

void in_child() {
  Transport* const transport = process_transport.load(std::memory_order_relaxed);
  if (transport == nullptr && !opening.load(std::memory_order_relaxed)) return; // a child may be the first
  forked.store(true, std::memory_order_relaxed);
  if (transport != nullptr)
    transport->abandon(); // else a child that lives on would keep a dead parent's task
}

RingChannel* open_once() {
  std::lock_guard lock(open_mutex);
  if (RingChannel* const channel = process_channel.load(std::memory_order_acquire); channel != nullptr)
    return channel;
  if (open_status != 0) return nullptr;
  TransportError error{};
  pthread_atfork(nullptr, nullptr, in_child);
  opening.store(true, std::memory_order_relaxed);
  Transport* const transport = open_transport(error);
  opened_by = getpid();
  process_transport.store(transport, std::memory_order_release);
  opening.store(false, std::memory_order_relaxed);
  if (transport == nullptr) {
    open_status = error.status;
    std::fprintf(stderr, "pegasus: %s\n", error.message);
    return nullptr;
  }
  auto const layout = layout_of(transport->memory(), transport->welcome());
  if (!layout) {
    open_status = cuda_system_driver_mismatch;
    process_transport.store(nullptr, std::memory_order_relaxed);
    transport->abandon();
    std::fprintf(stderr,
                 "pegasus: the accelerator daemon's call buffer is not laid out as this library knows "
                 "it: install both from one release\n");
    return nullptr;
  }
  auto* const channel = new RingChannel(*transport, *layout);
  process_channel.store(channel, std::memory_order_release);
  return channel;
}

} // namespace

Channel* Channel::get(int& status) {
  if (left.load(std::memory_order_relaxed)) {
    status = cuda_deinitialized;
    return nullptr;
  }
  if (forked.load(std::memory_order_relaxed)) {
    status = cuda_not_initialized;
    return nullptr;
  }
  RingChannel* channel = process_channel.load(std::memory_order_acquire);
  if (channel == nullptr && (channel = open_once()) == nullptr) {
    status = open_status;
    return nullptr;
  }
  status = 0;
  return channel;
}

} // namespace pegasus::frontend
