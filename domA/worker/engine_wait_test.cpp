// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/engine_wait.h"

#include "base/futex.h"

#include <catch2/catch.hpp>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pegasus;
using gate::Activity;

namespace {

struct Fixture {
  gate::GatePage gate{};
  gate::UsagePage usage{};
  int kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  worker::EngineWait wait{gate, usage, kick};

  Fixture() {
    gate.word = open_word;
    usage.activity = Activity::running;
  }
  ~Fixture() { close(kick); }
  [[nodiscard]] bool kicked() const {
    std::uint64_t count = 0;
    return read(kick, &count, sizeof count) == sizeof count;
  }

  static constexpr std::uint32_t open_word = gate::word_epoch | gate::word_open;
  static constexpr std::uint32_t closed_word = 2 * gate::word_epoch;
  static constexpr std::uint32_t reopened_word = 3 * gate::word_epoch | gate::word_open;
};

} // namespace

TEST_CASE("a worker in the line is off the device, and on it again when its turn comes") {
  Fixture test;
  test.wait.off_device();
  CHECK(test.usage.activity == Activity::waiting);
  CHECK_FALSE(test.kicked());
  CHECK(test.wait.may_enter());
  CHECK(test.usage.activity == Activity::running);
}

TEST_CASE("it does not enter by a gate that was closed meanwhile, nor by one that is open again") {
  Fixture test;
  test.wait.off_device();
  test.gate.word = Fixture::closed_word;
  CHECK_FALSE(test.wait.may_enter());
  test.gate.word = Fixture::reopened_word;
  CHECK_FALSE(test.wait.may_enter());
  test.wait.wait_until_open(); // it is
  CHECK(test.usage.activity == Activity::running);
  test.wait.off_device();
  CHECK(test.wait.may_enter());
}

TEST_CASE("... nor by one whose lease has expired") {
  Fixture test;
  test.gate.lease_until_ns = ~std::uint64_t{0};
  test.wait.off_device();
  CHECK(test.wait.may_enter());
  test.gate.lease_until_ns = 1;
  CHECK_FALSE(test.wait.may_enter());
}

TEST_CASE(
    "a gate that was closed before the worker left the device is told to pegasusd, which waits for it") {
  Fixture test;
  test.gate.word = Fixture::closed_word;
  test.wait.off_device();
  CHECK(test.kicked());
}

TEST_CASE("it does not wait behind others once its gate is closed, and is on the device again") {
  Fixture test;
  test.wait.off_device();
  CHECK(test.wait.may_wait());
  CHECK(test.usage.activity == Activity::waiting);
  test.gate.word = Fixture::closed_word;
  CHECK_FALSE(test.wait.may_wait());
  CHECK(test.usage.activity == Activity::running);
}

TEST_CASE("an order is obeyed at a closed gate, also if it comes while the worker sleeps there") {
  Fixture test;
  std::vector<gate::Order> orders;
  test.wait.obey_with([&](gate::Order const& order) {
    orders.push_back(order);
    return gate::Answer{.amount = order.amount};
  });
  gate::post(test.gate, {.kind = gate::OrderKind::nothing, .amount = 1});
  test.gate.word = Fixture::closed_word;
  std::thread worker([&] { test.wait.wait_until_open(); });
  while (!gate::answer_to_last(test.gate, test.usage))
    std::this_thread::yield();
  while (test.usage.activity != Activity::waiting)
    std::this_thread::yield();
  gate::post(test.gate, {.kind = gate::OrderKind::nothing, .amount = 2});
  test.gate.word = Fixture::closed_word + gate::word_epoch;
  base::futex_wake(test.gate.word, 1);
  while (gate::answer_to_last(test.gate, test.usage) != gate::Answer{.amount = 2})
    std::this_thread::yield();
  test.gate.word = Fixture::reopened_word + gate::word_epoch;
  base::futex_wake(test.gate.word, 1);
  worker.join();
  CHECK(orders.size() == 2);
}

TEST_CASE("at a closed gate the worker obeys, tells pegasusd, and sleeps until it opens") {
  Fixture test;
  test.gate.word = Fixture::closed_word;
  std::thread worker([&] { test.wait.wait_until_open(); });
  while (test.usage.activity != Activity::waiting)
    std::this_thread::yield();
  while (!test.kicked())
    std::this_thread::yield();
  CHECK(test.usage.obeyed == Fixture::closed_word);
  test.gate.word = Fixture::reopened_word;
  base::futex_wake(test.gate.word, 1);
  worker.join();
  CHECK(test.usage.activity == Activity::running);
}
