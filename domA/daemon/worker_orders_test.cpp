// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_orders.h"

#include "base/order_signal.h"
#include "domA/daemon/testing/daemon_fixture.h"
#include "domA/gate/orders.h"

#include <csignal>
#include <sys/eventfd.h>

using namespace pegasus;
using namespace pegasus::daemon;
using gate::OrderKind;

namespace {

// Task 3 on an accelerator, whose worker this process is.
struct OneWorker {
  boost::asio::io_context io{1};
  Options options;
  gate::GatePage gate{};
  gate::UsagePage usage{};
  base::UniqueFd kick{eventfd(0, EFD_NONBLOCK)};
  static constexpr TaskId task = 3;
  WorkerOrders* listener = nullptr;
  Accelerators accelerators{
      io,
      options,
      {.give_up = [](TaskId) {},
       .answered = [this](scheduler::Answered const& answered) { listener->answered(answered); }}};
  WorkerOrders orders{accelerators};
  std::vector<OrderKind> obeyed;
  std::string told; // of answers, by their askers

  OneWorker() {
    std::signal(base::order_signal, SIG_IGN);
    listener = &orders;
    REQUIRE(accelerators.add(daemon::testing::some_accelerators(1).front()));
  }
  ~OneWorker() { accelerators.stop(); }

  void attach() {
    REQUIRE(accelerators.on_schedulers_thread([&] {
      return accelerators[0].scheduler().attach(task, DomainId{7}, {gate, usage}, kick.get(), getpid());
    }));
  }
  void give(OrderKind kind, char asker) {
    orders.give(accelerators[0], task, kind, [this, asker](std::optional<gate::Answer> const& answer) {
      told += asker;
      told += answer ? '+' : '-';
    });
  }
  // The worker does what it is told until `askers` were answered.
  void work_until(std::string const& askers) {
    for (int look = 0; look < 2000 && told != askers; ++look) {
      accelerators.on_schedulers_thread([&] {
        usage.activity = gate::Activity::waiting;
        usage.obeyed = gate.word.load();
        (void)gate::obey_order(gate, usage, [&](gate::Order const& order) {
          if (order.kind != OrderKind::nothing) obeyed.push_back(order.kind);
          return gate::Answer{};
        });
      });
      std::uint64_t const one = 1;
      REQUIRE(write(kick.get(), &one, sizeof one) == sizeof one);
      io.restart();
      io.run_for(std::chrono::milliseconds(1));
    }
    CHECK(told == askers);
  }
};

} // namespace

TEST_CASE("orders go out one after the other, and those of a kind that follow each other are one") {
  OneWorker worker;
  worker.attach();
  worker.give(OrderKind::restore, 'a');
  worker.give(OrderKind::restore, 'b');
  worker.give(OrderKind::evict, 'c');
  worker.give(OrderKind::restore, 'd');
  worker.work_until("a+b+c+d+");
  CHECK(worker.obeyed == std::vector{OrderKind::restore, OrderKind::evict, OrderKind::restore});
}

TEST_CASE("who waits for a task that ends is told so, whatever was ordered") {
  OneWorker worker;
  worker.attach();
  worker.give(OrderKind::evict, 'a');
  worker.give(OrderKind::describe, 'b');
  worker.orders.left(OneWorker::task);
  CHECK(worker.told == "a-b-");
}

TEST_CASE("who asks a worker that was given up is told at once") {
  OneWorker worker;
  worker.give(OrderKind::evict, 'a');
  CHECK(worker.told == "a-");
  worker.attach();
  worker.give(OrderKind::evict, 'b');
  worker.accelerators.on_schedulers_thread(
      [&] { worker.accelerators[0].scheduler().detach(OneWorker::task); });
  worker.orders.left(OneWorker::task); // as when it is detached
  worker.give(OrderKind::restore, 'c');
  CHECK(worker.told == "a-b-c-");
}
