// SPDX-License-Identifier: Apache-2.0
// The one channel of this process. It is opened at the first call and left after the exit handlers, which may
// still call CUDA. Children of fork() cannot use it.
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
int open_status = 0; // the first failure is final, as in CUDA's cuInit

std::atomic<Transport*> process_transport = nullptr;
// open_mutex is held, possibly for long, by a thread that a child of fork() does not have.
std::atomic<bool> opening = false;

// The process that opened process_transport; a child made without fork() has another id.
pid_t opened_by = 0;
std::atomic<bool> left = false;

// Runs after all exit handlers and the destructors of libraries loaded on top of this one. A thread that
// calls CUDA even later gets an error.
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
    // Otherwise a child that lives on would keep a dead parent's task.
    transport->abandon();
}

RingChannel* open_once() {
  std::lock_guard lock(open_mutex);
  if (RingChannel* const channel = process_channel.load(std::memory_order_acquire); channel != nullptr)
    return channel;
  if (open_status != 0) return nullptr;
  TransportError error{};
  pthread_atfork(nullptr, nullptr, in_child);
  opening.store(true, std::memory_order_relaxed);
  Transport* const transport = open_transport(PEGASUS_CONNECT_TASK, error);
  opened_by = getpid();
  process_transport.store(transport, std::memory_order_release);
  opening.store(false, std::memory_order_relaxed);
  if (transport == nullptr) {
    open_status = error.status;
    std::fprintf(stderr, "pegasus: %s\n", error.message);
    return nullptr;
  }
  auto const layout = layout_of(transport->memory(), transport->connect_reply());
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
