// SPDX-License-Identifier: Apache-2.0
#include "monitor/state_changes.h"

#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace pegasus::monitor;
using Drained = StateChanges::Drained;

namespace {

// A buffer as Xen writes it (xen/common/trace.c).
class Buffer {
public:
  static constexpr std::uint32_t record_words = 25; // no multiple of a record's length

  [[nodiscard]] std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)); }
  std::uint32_t& consumed() { return words_[0]; }
  std::uint32_t& produced() { return words_[1]; }

  void change(std::uint32_t domain, std::uint32_t vcpu, VcpuState from, VcpuState to, std::uint64_t tsc) {
    std::uint32_t const event =
        0x00021001 | static_cast<std::uint32_t>(from) << 8 | static_cast<std::uint32_t>(to) << 4;
    record(event, {domain << 16 | vcpu}, tsc);
  }
  void record(std::uint32_t event, std::vector<std::uint32_t> data, std::optional<std::uint64_t> tsc = {}) {
    std::vector<std::uint32_t> words{event | static_cast<std::uint32_t>(data.size()) << 28 |
                                     (tsc ? 1u << 31 : 0)};
    if (tsc)
      words.insert(words.end(), {static_cast<std::uint32_t>(*tsc), static_cast<std::uint32_t>(*tsc >> 32)});
    words.insert(words.end(), data.begin(), data.end());
    for (std::uint32_t const word : words) {
      words_[2 + produced() / 4 % record_words] = word;
      produced() = (produced() + 4) % (8 * record_words);
    }
  }

private:
  std::array<std::uint32_t, 2 + record_words> words_{};
};

} // namespace

TEST_CASE("changes are read with their time, vCPU and state") {
  Buffer buffer;
  StateChanges reader(buffer.bytes(), 3);
  reader.take();
  std::vector<StateChange> changes;
  buffer.change(7, 2, VcpuState::runnable, VcpuState::running, 0x1'2345'6789);
  buffer.record(0x00021002, {7 << 16 | 2}, 5); // went on running
  buffer.record(0x0001f002, {0, 0});           // filled up to the end
  buffer.change(8, 0, VcpuState::running, VcpuState::blocked, 9);
  REQUIRE(reader.drain(changes) == Drained::all);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].tsc == 0x1'2345'6789);
  CHECK(changes[0].domain == 7);
  CHECK(changes[0].vcpu == 2);
  CHECK(changes[0].cpu == 3);
  CHECK(changes[0].state == VcpuState::running);
  CHECK(changes[1].domain == 8);
  CHECK(changes[1].state == VcpuState::blocked);
  CHECK(buffer.consumed() == buffer.produced());
  CHECK(reader.drain(changes) == Drained::all);
  CHECK(changes.size() == 2);
}

TEST_CASE("what was there before is not read") {
  Buffer buffer;
  buffer.change(7, 2, VcpuState::runnable, VcpuState::running, 1);
  StateChanges reader(buffer.bytes(), 0);
  reader.take();
  std::vector<StateChange> changes;
  CHECK(reader.drain(changes) == Drained::all);
  CHECK(changes.empty());
}

TEST_CASE("a buffer goes round and round") {
  Buffer buffer;
  StateChanges reader(buffer.bytes(), 0);
  reader.take();
  std::uint64_t tsc = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 1 + round % 5; ++i)
      buffer.change(1, 1, VcpuState::blocked, VcpuState::runnable, ++tsc);
    std::vector<StateChange> changes;
    REQUIRE(reader.drain(changes) == Drained::all);
    REQUIRE(changes.size() == static_cast<std::size_t>(1 + round % 5));
    REQUIRE(changes.back().tsc == tsc);
  }
}

TEST_CASE("who uses a buffer is seen before it is taken") {
  Buffer buffer;
  StateChanges reader(buffer.bytes(), 0);
  CHECK(!reader.look().written);
  buffer.change(1, 1, VcpuState::blocked, VcpuState::runnable, 1);
  auto use = reader.look();
  CHECK(use.written);
  CHECK(!use.read);
  CHECK(buffer.consumed() == 0);
  buffer.consumed() = buffer.produced();
  use = reader.look();
  CHECK(use.read);
  CHECK(!use.written);
  CHECK(!reader.look().read);
}

TEST_CASE("lost records are told, and what follows is read again") {
  Buffer buffer;
  StateChanges reader(buffer.bytes(), 0);
  reader.take();
  std::vector<StateChange> changes;
  buffer.change(1, 1, VcpuState::blocked, VcpuState::runnable, 1);
  buffer.record(0x0001f001, {5, 0, 0, 0}, 2);
  buffer.change(1, 1, VcpuState::runnable, VcpuState::running, 3);
  CHECK(reader.drain(changes) == Drained::lost);
  changes.clear();
  buffer.change(1, 1, VcpuState::running, VcpuState::blocked, 4);
  CHECK(reader.drain(changes) == Drained::all);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].tsc == 4);
}

TEST_CASE("a buffer that somebody else reads is given up") {
  Buffer buffer;
  StateChanges reader(buffer.bytes(), 0);
  reader.take();
  buffer.change(1, 1, VcpuState::blocked, VcpuState::runnable, 1);
  buffer.consumed() = buffer.produced();
  std::vector<StateChange> changes;
  CHECK(reader.drain(changes) == Drained::taken);
}

TEST_CASE("no content of a buffer leads out of it") {
  std::mt19937 random(1);
  for (int run = 0; run < 20'000; ++run) {
    Buffer buffer;
    StateChanges reader(buffer.bytes(), 0);
    reader.take();
    for (std::byte& byte : buffer.bytes().subspan(8))
      byte = static_cast<std::byte>(random());
    auto const number = static_cast<std::uint32_t>(random());
    buffer.produced() = run % 3 == 0 ? number : number % (8 * Buffer::record_words);
    std::vector<StateChange> changes;
    (void)reader.drain(changes);
    REQUIRE(changes.size() <= Buffer::record_words);
    REQUIRE(buffer.consumed() == buffer.produced());
  }
}
