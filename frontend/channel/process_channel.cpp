// SPDX-License-Identifier: Apache-2.0
// The one channel of this process: opened at the first call, never closed (exit handlers may still call
// CUDA), and not usable by the children of fork().
#include "frontend/channel/ring_channel.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pegasus::frontend {
namespace {

constexpr int cuda_not_initialized = 3;

std::atomic<RingChannel*> process_channel = nullptr;
std::atomic<bool> forked = false;
std::mutex open_mutex;
int open_status = 0; // the first failure is final: CUDA's cuInit behaves so too

Transport* process_transport = nullptr; // set before in_child can run

void in_child() {
  forked.store(true, std::memory_order_relaxed);
  process_transport->abandon(); // else a child that lives on would keep a dead parent's task
}

RingChannel* open_once() {
  std::lock_guard lock(open_mutex);
  if (RingChannel* const channel = process_channel.load(std::memory_order_acquire); channel != nullptr)
    return channel;
  if (open_status != 0) return nullptr;
  TransportError error{};
  Transport* const transport = open_transport(error);
  if (transport == nullptr) {
    open_status = error.status;
    std::fprintf(stderr, "pegasus: %s\n", error.message);
    return nullptr;
  }
  process_transport = transport;
  pthread_atfork(nullptr, nullptr, in_child);
  auto* const channel = new RingChannel(*transport);
  process_channel.store(channel, std::memory_order_release);
  return channel;
}

} // namespace

Channel* Channel::get(int& status) {
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
