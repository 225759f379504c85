// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/orders.h"

#include "base/order_signal.h"
#include "control/holdings.pb.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>

using namespace pegasus;
using gate::OrderKind;
using gate::OrderStatus;

namespace {

struct Fixture {
  avcpu::CallHandler handler{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<testing::NullContext>(); },
      nullptr};
  std::array<std::byte, 64> report{};

  void create_event() {
    pegasus_request request{};
    request.call = PEGASUS_CALL_EVENT_CREATE;
    CHECK(handler.execute(request, {}, testing::EndlessSlice()).status == device::Status::success);
  }
};

} // namespace

TEST_CASE("a worker counts what its task holds") {
  Fixture fixture;
  worker::Orders orders(fixture.handler, fixture.report);
  for (std::uint64_t events = 0; events < 3; ++events) {
    auto const answer = orders.obey({.kind = OrderKind::describe});
    REQUIRE(answer.status == OrderStatus::done);
    REQUIRE(answer.amount <= fixture.report.size());
    control::Holdings holdings;
    REQUIRE(holdings.ParseFromArray(fixture.report.data(), static_cast<int>(answer.amount)));
    CHECK(holdings.events() == events);
    CHECK(holdings.streams() == 0);
    fixture.create_event();
  }
}

TEST_CASE("a report without room is a failure, and nothing is written beyond it") {
  Fixture fixture;
  for (int event = 0; event < 3; ++event)
    fixture.create_event();
  worker::Orders orders(fixture.handler, std::span(fixture.report).first(1));
  CHECK(orders.obey({.kind = OrderKind::describe}).status == OrderStatus::failed);
  CHECK(fixture.report[1] == std::byte{});
}

TEST_CASE("a worker whose device cannot move memory says why, and has nothing to bring back") {
  Fixture fixture;
  worker::Orders orders(fixture.handler, fixture.report);
  CHECK(orders.obey({.kind = OrderKind::evict}) ==
        gate::Answer{.status = OrderStatus::failed,
                     .amount = static_cast<std::uint64_t>(device::Status::not_supported)});
  CHECK(orders.obey({.kind = OrderKind::restore}) == gate::Answer{.status = OrderStatus::done, .amount = 0});
}

TEST_CASE("an order of a newer pegasusd is answered as unknown") {
  Fixture fixture;
  worker::Orders orders(fixture.handler, fixture.report);
  CHECK(orders.obey({.kind = OrderKind::nothing, .amount = 9}) == gate::Answer{.amount = 9});
  CHECK(orders.obey({.kind = static_cast<OrderKind>(77)}).status == OrderStatus::unknown);
}

TEST_CASE("the signal for orders ends a wait and nothing else") {
  auto* const before = std::signal(base::order_signal, SIG_DFL);
  worker::wake_for_orders();
  struct sigaction action {};
  REQUIRE(sigaction(base::order_signal, nullptr, &action) == 0);
  CHECK((action.sa_flags & SA_RESTART) == 0);
  CHECK(std::raise(base::order_signal) == 0);
  std::signal(base::order_signal, before);
}
