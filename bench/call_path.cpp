// SPDX-License-Identifier: Apache-2.0
// Measures the cost of the call path. Each figure is beside its limit, measured in the same run: null
// call against a bare cache-line ping-pong, posted launch, streamed copies against memcpy, and the system
// calls made meanwhile.
#include "tests/support/loopback.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/resource.h>

namespace {

using namespace pegasus;
using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void pin_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

struct alignas(64) Line {
  std::atomic<std::uint64_t> value{0};
};

struct Samples {
  std::vector<double> ns;
  double at(double quantile) {
    std::sort(ns.begin(), ns.end());
    return ns[static_cast<std::size_t>(quantile * static_cast<double>(ns.size() - 1))];
  }
};

// One cache line there, another back: the least that any call can cost. The fastest of several batches, as a
// machine is seldom quite idle.
double ping_pong_ns() {
  constexpr std::uint64_t batch = 10'000, batches = 40;
  static Line there, back;
  there.value = back.value = 0;
  std::thread peer([] {
    pin_to(1);
    for (std::uint64_t i = 1; i <= batch * batches; ++i) {
      while (there.value.load(std::memory_order_acquire) != i) {
      }
      back.value.store(i, std::memory_order_release);
    }
  });
  Samples samples;
  for (std::uint64_t b = 0; b < batches; ++b) {
    auto const start = Clock::now();
    for (std::uint64_t i = b * batch + 1; i <= (b + 1) * batch; ++i) {
      there.value.store(i, std::memory_order_release);
      while (back.value.load(std::memory_order_acquire) != i) {
      }
    }
    samples.ns.push_back(ns_since(start) / batch);
  }
  peer.join();
  return samples.at(0);
}

Samples null_calls(testing::Loopback& loopback, unsigned calls) {
  Samples samples;
  samples.ns.reserve(calls);
  for (unsigned i = 0; i < calls; ++i) {
    pegasus_ping_reply reply{};
    auto const start = Clock::now();
    if (loopback.channel().call(pegasus_ping_request{i}, reply) != 0 || reply.value != i) std::abort();
    samples.ns.push_back(ns_since(start));
  }
  return samples;
}

double posted_launch_ns(testing::Loopback& loopback) {
  auto& channel = loopback.channel();
  std::uint64_t module = 0;
  if (channel.load_module(frontend::as_bytes_of(module), 1, module) != 0) std::abort();
  pegasus_module_function_reply function{};
  std::byte const name[] = {std::byte{'k'}};
  if (channel.call(pegasus_module_function_request{module, 1, 0}, function, name) != 0) std::abort();
  pegasus_launch_request launch{};
  launch.function = function.function;
  launch.parameter_bytes = 28;
  std::byte const parameters[28]{};
  constexpr unsigned batch = 100,
                     batches = 3000; // a batch fits the ring: only the guest's cost, not the worker's
  Samples samples;
  for (unsigned b = 0; b < batches; ++b) {
    auto const start = Clock::now();
    for (unsigned i = 0; i < batch; ++i)
      if (channel.post(launch, parameters) != 0) std::abort();
    samples.ns.push_back(ns_since(start) / batch);
    pegasus_ping_reply reply{};
    if (channel.call(pegasus_ping_request{b}, reply) != 0) std::abort();
  }
  return samples.at(0.5);
}

constexpr std::size_t copy_bytes = 16u << 20;

template <class Work> double best_gib_per_s(Work work) {
  double best = 1e300;
  for (int i = 0; i < 15; ++i) {
    auto const start = Clock::now();
    work();
    best = std::min(best, ns_since(start));
  }
  return static_cast<double>(copy_bytes) / best * 1e9 / (1 << 30);
}

void row(char const* what, double value, char const* unit, double limit, char const* limit_is, double ratio,
         char const* goal) {
  std::printf("| %-34s | %10.1f %-6s | %10.1f %-26s | %6.2f | %-8s |\n", what, value, unit, limit, limit_is,
              ratio, goal);
}

} // namespace

int main() {
  pin_to(0);
  testing::Loopback loopback(ring::geometry_for(0, 0), [] { pin_to(1); });
  std::vector<std::byte> host(copy_bytes, std::byte{1}), other(copy_bytes);
  auto& channel = loopback.channel();

  null_calls(loopback, 20'000); // warm up; afterwards the worker is up
  double const ping_pong = ping_pong_ns();
  Samples null, system_calls;
  for (int batch = 0; batch < 300; ++batch) {
    loopback.transport().system_calls = 0;
    (void)loopback.daemon_rings();
    Samples const some = null_calls(loopback, 1000);
    null.ns.insert(null.ns.end(), some.ns.begin(), some.ns.end());
    system_calls.ns.push_back(
        static_cast<double>(loopback.transport().system_calls + loopback.daemon_rings()));
  }
  double const launch = posted_launch_ns(loopback);

  double const copy = best_gib_per_s([&] { std::memcpy(other.data(), host.data(), copy_bytes); });
  double const to_device = best_gib_per_s([&] {
    pegasus_ping_reply reply{};
    if (channel.write_device(0, {0, copy_bytes}, host.data(), copy_bytes, copy_bytes, 1) != 0 ||
        channel.call(pegasus_ping_request{0}, reply) != 0)
      std::abort();
  });
  double const from_device = best_gib_per_s([&] {
    if (channel.read_device(0, other.data(), copy_bytes, {0, copy_bytes}, copy_bytes, 1) != 0) std::abort();
  });
  if (std::memcmp(host.data(), other.data(), copy_bytes) != 0) std::abort();

  std::printf("| what                               | measured          | beside it                          "
              "   | ratio  | goal     |\n");
  std::printf("|------------------------------------|-------------------|------------------------------------"
              "---|--------|----------|\n");
  row("null call, median", null.at(0.5), "ns", ping_pong, "ns cache-line ping-pong", null.at(0.5) / ping_pong,
      "<= 3");
  row("null call, 99th percentile", null.at(0.99), "ns", 1000, "ns", null.at(0.99) / 1000, "<= 1");
  row("posted launch, guest's cost", launch, "ns", 250, "ns", launch / 250, "<= 1");
  row("host to device, 16 MiB", to_device, "GiB/s", copy, "GiB/s memcpy", to_device / copy, ">= 0.80");
  row("device to host, 16 MiB", from_device, "GiB/s", copy, "GiB/s memcpy", from_device / copy, ">= 0.80");
  row("system calls, median 1,000 calls", system_calls.at(0.5), "", 1000, "calls",
      system_calls.at(0.5) / 1000, "0");
}
