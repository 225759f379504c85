// SPDX-License-Identifier: Apache-2.0
// Both ends of an order: pegasusd posts it and takes the answer, a worker obeys it, and a worker that its guest has
// taken over writes anything to its page and its report in between. An honest answer comes back as it was given; any
// other ends as a failure or as numbers, and each order is answered at most once.
//
// Input: steps: what happens (8 bits), and what that needs.
#include "control/holdings.pb.h"
#include "domA/daemon/descriptions.h"
#include "domA/gate/gate.h"
#include "domA/worker/orders.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/strict_device.h"
#include "tests/support/time_slices.h"

#include <array>
#include <cstring>

namespace {

using namespace pegasus;
using fuzz::require;
using gate::Answer;
using gate::Order;
using gate::OrderKind;
using gate::OrderStatus;

constexpr gate::TaskId task = 1;
constexpr std::size_t small_report = 64; // what a description fits in, or nearly

class Machine final : gate::Gate::Listener {
public:
  explicit Machine(fuzz::Input input) : input_(input), gate_(*this) {
    gate_.attach(task, gate_page_, usage_);
    require(!gate_.may_post(task));
    obey();
    gate_.rang(task);
    require(gate_.may_post(task));
  }

  void run() {
    while (!input_.empty())
      step();
  }

private:
  void entering(gate::TaskId) override {}
  void opened(gate::TaskId, std::atomic<std::uint32_t>&) override {}
  void closed(gate::TaskId) override {}
  void drained(gate::TaskId) override {}

  void step() {
    switch (input_.take<std::uint8_t>() % 6) {
    case 0:
      return post();
    case 1:
      return obey();
    case 2:
      return take_answer();
    case 3:
      return change_holdings();
    case 4:
      return lie();
    default:
      return scribble();
    }
  }

  void post() {
    std::uint32_t const before = gate_page_.word.load();
    order_ = Order{.kind = static_cast<OrderKind>(input_.take<std::uint8_t>() % 6),
                   .amount = input_.take<std::uint64_t>()};
    auto const& word = gate_.post(task, order_);
    require(&word == &gate_page_.word && word.load() != before && (word.load() & gate::word_open) == 0);
    honest_.reset();
  }

  void obey() {
    bool const waits = usage_.answered.load() != gate_page_.order.load();
    bool const obeyed = gate::obey_order(gate_page_, usage_, [this](Order const& order) {
      require(order == order_);
      honest_ = orders_.obey(order);
      counted_events_ = handler_.holdings().events;
      return *honest_;
    });
    require(obeyed == waits);
    if (obeyed) lied_ = false;
    require(!gate::obey_order(gate_page_, usage_, [](Order const&) { return Answer{}; }));
  }

  void take_answer() {
    auto const answer = gate_.answer(task);
    if (!answer) return require(lied_ || !honest_);
    require(answer->status <= OrderStatus::failed);
    auto const holdings = daemon::holdings_in(report_, *answer);
    require(holdings.has_value() || !holdings.error().empty());
    if (lied_) return;
    require(honest_ && *answer == *honest_);
    if (order_.kind == OrderKind::nothing) require(answer->amount == order_.amount);
    if (order_.kind == OrderKind::evict) // which this device cannot
      require(answer->status == OrderStatus::failed &&
              device::Status(answer->amount) == device::Status::not_supported);
    if (order_.kind == OrderKind::restore)
      require(answer->status == OrderStatus::done && answer->amount == 0);
    if (order_.kind > OrderKind::restore) require(answer->status == OrderStatus::unknown);
    if (order_.kind == OrderKind::describe && answer->status == OrderStatus::done)
      require(holdings && holdings->events() == counted_events_);
  }

  void change_holdings() {
    pegasus_request request{};
    request.call = PEGASUS_CALL_EVENT_CREATE;
    (void)handler_.execute(request, {}, testing::EndlessSlice());
  }

  void lie() {
    switch (input_.take<std::uint8_t>() % 3) {
    case 0:
      usage_.answered.store(input_.take<std::uint32_t>());
      break;
    case 1:
      usage_.answer_status.store(input_.take<std::uint32_t>());
      break;
    default:
      usage_.answer_amount.store(input_.take<std::uint64_t>());
    }
    lied_ = true;
  }

  void scribble() {
    auto const bytes = input_.take_bytes(input_.take<std::uint8_t>() % (small_report + 1));
    if (!bytes.empty()) std::memcpy(report_.data(), bytes.data(), bytes.size());
    lied_ = true;
  }

  fuzz::Input input_;
  gate::GatePage gate_page_{};
  gate::UsagePage usage_{};
  gate::Gate gate_;
  std::array<std::byte, small_report> report_{};
  avcpu::CallHandler handler_{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<fuzz::StrictContext>([] {}); },
      nullptr};
  worker::Orders orders_{handler_, report_};
  Order order_;                    // the last one
  std::optional<Answer> honest_;   // to it
  std::size_t counted_events_ = 0; // by that
  bool lied_ = false;              // since the worker last answered
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  Machine(fuzz::Input(data, bytes)).run();
  return 0;
}
