/* SPDX-License-Identifier: GPL-2.0-only */
// Tests that monitor reads what the hypervisor writes, and compares the two copies of their header.
#include "monitor/schedule_reader.h"
#include "xen-patches/harness/world.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

using harness::machine;
using harness::World;
using pegasus::monitor::ScheduleReader;
using pegasus::monitor::Time;
using pegasus::monitor::VcpuState;

namespace {

std::string file(char const* path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("monitor reads what the hypervisor wrote") {
  using std::chrono::nanoseconds;
  World world(64);
  world.sched.credit = 250;
  world.sched.priority = XEN_SCHED_PRIORITY_under;
  REQUIRE(world.acquire(0, 2) == 2);
  auto const reader = ScheduleReader::open(world.bytes());
  REQUIRE(reader);
  CHECK(reader->vcpus() == 64);
  CHECK(reader->vcpu(63)->state == VcpuState::blocked);
  world.vcpus[63].runstate = {RUNSTATE_running, 8000, {}};
  world.sched.credit = 300;
  world.sched.priority = XEN_SCHED_PRIORITY_boost;
  world.write(63, 9000);
  auto const vcpu = reader->vcpu(63);
  REQUIRE(vcpu);
  CHECK(vcpu->state == VcpuState::running);
  CHECK(vcpu->priority == XEN_SCHED_PRIORITY_boost);
  CHECK(vcpu->cpu == 1);
  CHECK(vcpu->credit == 300);
  CHECK(vcpu->since == Time{nanoseconds(8000)});
  CHECK(vcpu->updated == Time{nanoseconds(9000)});
  auto const state = [&](std::uint32_t id) { return reader->vcpu(id).value().state; };
  CHECK(state(0) == VcpuState::blocked);
  world.vcpus[0].runstate.state = RUNSTATE_runnable;
  world.vcpus[1].runstate.state = RUNSTATE_offline;
  world.write(0, 9001);
  world.write(1, 9001);
  CHECK(state(0) == VcpuState::runnable);
  CHECK(state(1) == VcpuState::offline);
}

TEST_CASE("monitor never reads half of a write") {
  World world;
  REQUIRE(world.acquire() == 1);
  auto const reader = ScheduleReader::open(world.bytes());
  REQUIRE(reader);
  world.vcpus[0].runstate.state_entry_time = 0;
  world.write(0, 0);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::int32_t i = 1; !stop; i = (i + 1) & 0xffffff) {
      world.sched.credit = i;
      world.vcpus[0].runstate.state_entry_time = static_cast<std::uint64_t>(i);
      world.write(0, i);
    }
  });
  // Runs until reads and writes have met often. The yield is for machines where both threads share one core.
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  int changes = 0;
  int torn = 0;
  pegasus::monitor::Time last{};
  while (changes < 100 && std::chrono::steady_clock::now() < end) {
    auto const vcpu = reader->vcpu(0);
    if (!vcpu || vcpu->updated == last) {
      std::this_thread::yield();
      continue;
    }
    ++changes;
    last = vcpu->updated;
    torn += vcpu->credit != vcpu->updated.time_since_epoch().count() || vcpu->since != vcpu->updated;
  }
  stop = true;
  writer.join();
  CHECK(changes > 0);
  CHECK(torn == 0);
}

TEST_CASE("our copy of the public header is Xen's but for the include") {
  auto const content = [](char const* path) {
    std::string const text = file(path);
    auto const guard = text.find("#ifndef"); // the text before it, licence and description, may differ
    REQUIRE(guard != std::string::npos);
    return std::regex_replace(text.substr(guard), std::regex("#include[^\n]*\n"), "");
  };
  CHECK(content(OUR_HEADER) == content(XEN_HEADER));
}
