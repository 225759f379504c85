// SPDX-License-Identifier: Apache-2.0
// Both ends of the call path with real threads: each side finds what the other publishes, under contention
// and when threads sleep.
#include "tests/support/late_reader.h"
#include "tests/support/loopback.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

using namespace pegasus;
using testing::Loopback;

namespace {

// Has text to print from the start, and records how much was read before it was asked for the text.
class TalkingContext final : public testing::NullContext {
public:
  device::Status copy_from_device(device::Stream* stream, std::span<std::byte> target,
                                  device::Rect const& source) override {
    bytes_read += target.size();
    return NullContext::copy_from_device(stream, target, source);
  }
  bool output_pending() const override { return !told_; }
  device::Output take_output(std::size_t) override {
    if (!std::exchange(told_, true)) read_before_text = bytes_read.load();
    return {device::Output::Kind::printf_text, {}};
  }
  static inline std::atomic<std::size_t> bytes_read = 0, read_before_text = 0;

private:
  bool told_ = false;
};

ring::Geometry small() { return ring::geometry_for(16, PEGASUS_ARENA_MIN); }
void anywhere() {}

} // namespace

TEST_CASE("every synchronous call gets its own answer, from several threads at once") {
  Loopback loopback(small(), anywhere);
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 3000; ++i) {
        pegasus_ping_reply reply{};
        std::uint64_t const value = t << 32 | i;
        wrong += loopback.channel().call(pegasus_ping_request{value}, reply) != 0 || reply.value != value;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("pieces that the device reads late arrive whole, through an arena that is used many times") {
  Loopback loopback(small(), anywhere, [](void*) -> std::unique_ptr<device::Context> {
    return std::make_unique<testing::LateReader>(3);
  });
  constexpr std::size_t bytes = 8u << 20;
  std::vector<std::uint32_t> sent(bytes / 4), got(bytes / 4);
  std::iota(sent.begin(), sent.end(), 1u);
  REQUIRE(loopback.channel().write_device(0, {0, bytes}, reinterpret_cast<std::byte const*>(sent.data()),
                                          bytes, bytes, 1) == 0);
  REQUIRE(loopback.channel().read_device(0, reinterpret_cast<std::byte*>(got.data()), bytes, {0, bytes},
                                         bytes, 1) == 0);
  bool const whole = sent == got; // CHECK(sent == got) would print the data
  CHECK(whole);
}

TEST_CASE("bulk data of any shape arrives whole in both directions") {
  Loopback loopback(small(), anywhere);
  auto const [row_bytes, rows, device_pitch, host_pitch] =
      GENERATE(table<std::size_t, std::size_t, std::size_t, std::size_t>({
          {1, 1, 1, 1},
          {1'000'003, 1, 1'000'003, 1'000'003},
          {100, 300, 128, 100},
          {100, 300, 128, 150},
          {40'000, 7, 50'000, 40'001},
          {3, 5000, 3, 3},
      }));
  std::vector<std::byte> source(host_pitch * rows + row_bytes), target(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<std::byte>(i * 7 + i / 251);
  auto& channel = loopback.channel();
  REQUIRE(channel.write_device(0, {0, device_pitch}, source.data(), host_pitch, row_bytes, rows) == 0);
  REQUIRE(channel.read_device(0, target.data(), host_pitch, {0, device_pitch}, row_bytes, rows) == 0);
  for (std::size_t row = 0; row < rows; ++row)
    REQUIRE(std::equal(source.begin() + static_cast<std::ptrdiff_t>(row * host_pitch),
                       source.begin() + static_cast<std::ptrdiff_t>(row * host_pitch + row_bytes),
                       target.begin() + static_cast<std::ptrdiff_t>(row * host_pitch)));
}

TEST_CASE("posted calls beyond the ring's size wait for room and none is lost") {
  Loopback loopback(small(), anywhere);
  constexpr unsigned calls = 5000;
  for (unsigned i = 0; i < calls; ++i)
    REQUIRE(loopback.channel().post(pegasus_stream_destroy_request{1}) == 0);
  pegasus_context_synchronize_reply reply{};
  // the first failure, reported once
  CHECK(loopback.channel().call(pegasus_context_synchronize_request{}, reply) == 400);
  CHECK(loopback.channel().call(pegasus_context_synchronize_request{}, reply) == 0);
  CHECK(loopback.usage().calls == calls + 2);
}

TEST_CASE("an unknown call is answered, not waited for") {
  Loopback loopback(small(), anywhere);
  struct Open : frontend::RingChannel { // the one way to send a number that is not in the list
    using frontend::RingChannel::call_bytes;
    using frontend::RingChannel::RingChannel;
  };
  Open channel(loopback.transport(), loopback.transport().layout());
  CHECK(channel.call_bytes(999, {}, {}, {}, {}) == 801);
}

TEST_CASE("two threads reading more than the arena holds do not block each other") {
  Loopback loopback(small(), anywhere);
  auto read_all = [&] {
    std::vector<std::byte> target(2'000'000);
    for (int i = 0; i < 5; ++i)
      if (loopback.channel().read_device(0, target.data(), target.size(), {0, target.size()}, target.size(),
                                         1) != 0)
        std::abort();
  };
  std::thread other(read_all);
  read_all();
  other.join();
  CHECK(loopback.usage().sync_calls > 0);
}

TEST_CASE("a copy prints device output when none of its pieces fills the arena any more") {
  // While a piece fills the arena, the call for the output could wait for a thread that waits for that space.
  Loopback loopback(small(), anywhere, [](void*) -> std::unique_ptr<device::Context> {
    return std::make_unique<TalkingContext>();
  });
  std::vector<std::byte> target(1'000'000);
  REQUIRE(loopback.channel().read_device(0, target.data(), target.size(), {0, target.size()}, target.size(),
                                         1) == 0);
  CHECK(TalkingContext::read_before_text == target.size());
}
