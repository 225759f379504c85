// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/producer.h"

#include "domA/ring/request_ring.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <vector>

using namespace pegasus;
using frontend::Producer;
using frontend::Reservation;

namespace {

struct Pair {
  ring::Geometry geometry = ring::geometry_for(16, PEGASUS_ARENA_MIN);
  std::vector<std::byte> pages = std::vector<std::byte>(geometry.total_bytes);
  ring::RequestRing worker{(ring::initialize(pages.data(), geometry), pages.data()), geometry};
  Producer guest{pages.data(),
                 {.slots = geometry.slots,
                  .arena_bytes = geometry.arena_bytes,
                  .request_offset = geometry.request_offset,
                  .reply_offset = geometry.reply_offset,
                  .arena_offset = geometry.arena_offset}};

  bool post(std::size_t data_bytes, bool expects_reply, Reservation& reservation) {
    if (!guest.reserve(data_bytes, reservation)) return false;
    guest.publish(reservation, 1, {}, {}, expects_reply);
    return true;
  }
  void execute_one(bool reply) {
    REQUIRE(worker.peek() == ring::RequestRing::Poll::ready);
    pegasus_request request;
    REQUIRE(worker.take(request));
    if (reply) worker.reply(request.sequence, 0, 0, {});
    worker.complete(request.sequence);
  }
};

} // namespace

TEST_CASE("the ring holds as many requests as it has slots, and again after they are executed") {
  Pair pair;
  Reservation reservation;
  for (int lap = 0; lap < 3; ++lap) {
    for (std::uint32_t i = 0; i < pair.geometry.slots; ++i)
      REQUIRE(pair.post(0, false, reservation));
    CHECK_FALSE(pair.post(0, false, reservation));
    for (std::uint32_t i = 0; i < pair.geometry.slots; ++i)
      pair.execute_one(false);
  }
}

TEST_CASE("a slot whose reply was not taken is not reused") {
  Pair pair;
  Reservation sync, other;
  REQUIRE(pair.post(0, true, sync));
  for (std::uint32_t i = 1; i < pair.geometry.slots; ++i)
    REQUIRE(pair.post(0, false, other));
  pair.execute_one(true);
  for (std::uint32_t i = 1; i < pair.geometry.slots; ++i)
    pair.execute_one(false);
  CHECK(pair.guest.answered(sync.sequence));
  CHECK_FALSE(pair.post(0, false, other));
  pair.guest.release(sync.sequence);
  CHECK(pair.post(0, false, other));
}

TEST_CASE("arena ranges of unfinished requests never overlap") {
  Pair pair;
  std::mt19937 random(1);
  struct Live {
    std::size_t begin, end;
  };
  std::vector<Live> live; // oldest first
  std::size_t served = 0;
  for (int step = 0; step < 20000; ++step) {
    std::size_t const bytes = random() % (pair.guest.max_data_bytes() + 1);
    Reservation reservation;
    if (!pair.post(bytes, false, reservation)) {
      REQUIRE_FALSE(live.empty());
      pair.execute_one(false);
      live.erase(live.begin());
      continue;
    }
    ++served;
    REQUIRE(reservation.data.size() == bytes);
    Live const now{reservation.data_offset, reservation.data_offset + bytes};
    REQUIRE(now.end <= pair.geometry.arena_bytes);
    for (Live const& other : live)
      REQUIRE((now.begin >= other.end || now.end <= other.begin || bytes == 0 || other.begin == other.end));
    live.push_back(now);
  }
  CHECK(served > 5000);
}

TEST_CASE("a completion of a request that was never sent is ignored") {
  Pair pair;
  Reservation reservation;
  for (std::uint32_t i = 0; i < pair.geometry.slots; ++i)
    REQUIRE(pair.post(0, false, reservation));
  auto const lie = GENERATE(as<std::uint32_t>(), 17, 1000, 0x80000000, 0xffffffff);
  pair.guest.header().completed = lie;
  CHECK_FALSE(pair.post(0, false, reservation));
}

TEST_CASE("behind a request are zeros, whatever the slot's last request was") {
  Pair pair;
  std::array<std::byte, PEGASUS_REQUEST_BODY> body;
  body.fill(std::byte{0x5a});
  for (std::size_t const bytes : {PEGASUS_REQUEST_BODY, 8u, 0u, 40u, 24u})
    for (std::uint32_t i = 0; i < pair.geometry.slots; ++i) { // a lap
      Reservation reservation;
      REQUIRE(pair.guest.reserve(0, reservation));
      pair.guest.publish(reservation, 1, std::span(body).first(bytes / 2), std::span(body).first(bytes / 2),
                         false);
      pegasus_request request;
      REQUIRE(pair.worker.take(request));
      CHECK(std::all_of(request.body, request.body + bytes, [](auto byte) { return byte == 0x5a; }));
      CHECK(std::all_of(request.body + bytes, std::end(request.body), [](auto byte) { return byte == 0; }));
      pair.worker.complete(request.sequence);
    }
}
