// SPDX-License-Identifier: Apache-2.0
// Hostile workers write anything to their pages and ring at any time, around a real Dispatcher in virtual
// time. Beside them an honest worker of another domain always has kernels of a millisecond. It is charged for
// what the device executed for it, gets its time slices, obeys its orders, and is never given up. An order to a
// hostile worker is answered, or its task is given up.
//
// Input: the policy (8 bits), then steps: what happens (8 bits), the task (8 bits), how much time passes (16
// bits, in units of 10 us; at most 10 ms except in long steps), and if a page is written, the fields of Lie.
#include "domA/scheduler/dispatcher.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <array>

namespace {

using namespace pegasus;
using namespace pegasus::scheduler;
using gate::Activity;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kernel = milliseconds(1);
constexpr Nanos runaway = milliseconds(100);
constexpr Nanos host_call = seconds(1);
constexpr Nanos longest_wait = seconds(60); // the policies' bounds, with runaways and earlier debts
constexpr unsigned max_steps = 512;
constexpr unsigned short_step = 1000;   // units of time
constexpr unsigned max_points = 20'000; // in a step: at most one in 50 us, of a step of 0.7 s
constexpr DomainId honest_domain = 1;

struct Pages {
  gate::GatePage gate{};
  gate::UsagePage usage{};
  [[nodiscard]] bool open() const { return (gate.word.load() & gate::word_open) != 0; }
  void obey() { usage.obeyed.store(gate.word.load()); }
};

// What is written to a hostile worker's page. A zero leaves a field unchanged.
struct Lie {
  std::uint32_t activity;
  std::uint32_t obeyed;
  std::uint32_t requests_waiting;
  std::uint64_t device_busy_ns;
  std::uint64_t executing_since_ns;
  std::uint64_t host_busy_ns;
  std::uint64_t calls;
  std::uint32_t answered;
};

enum : unsigned {
  write_page = 1,
  ring = 2,
  die = 4,
  obey = 8,
  switch_policy = 16,
  long_step = 0xe0, // all bits
  order = 0x20      // of those of long_step, no other
};

class Machine {
public:
  explicit Machine(fuzz::Input input)
      : input_(input),
        dispatcher_({.policy = policy(), .tunables = {}, .runaway = runaway, .host_call = host_call}) {
    for (TaskId task = 0; task < pages_.size(); ++task)
      arrive(task);
    point();
  }

  void run() {
    for (unsigned step = 0; step < max_steps && !input_.empty(); ++step)
      one_step();
  }

private:
  policies::Entry const* policy() {
    auto const all = policies::registry();
    return &all[input_.take<std::uint8_t>() % all.size()];
  }
  // Tasks 0 and 1 have a domain each; each further domain has two tasks.
  static DomainId domain_of(TaskId task) { return task == 0 ? honest_domain : DomainId(2 + task / 2); }
  void arrive(TaskId task) { // with new pages
    pages_[task].emplace();
    dispatcher_.set_domain(domain_of(task), {.slo = task == 0 ? 0.2 : 0});
    dispatcher_.attach(task, domain_of(task), pages_[task]->gate, pages_[task]->usage, now_);
    obeys(task); // has started
    dispatcher_.kicked(task);
  }
  void leave(TaskId task) {
    ordered_[task].reset();
    dispatcher_.detach(task, now_);
    arrive(task);
  }

  void one_step() {
    auto const what = input_.take<std::uint8_t>();
    TaskId const task = 1 + input_.take<std::uint8_t>() % (pages_.size() - 1);
    // The time that passes is most of an input's cost: one long step in eight is enough.
    auto const units = input_.take<std::uint16_t>();
    Nanos const span = microseconds(10) * ((what & long_step) == long_step ? units : units % short_step);
    if ((what & write_page) != 0) lie(pages_[task]->usage);
    if ((what & obey) != 0) pages_[task]->obey();
    if ((what & ring) != 0) dispatcher_.kicked(task);
    if ((what & die) != 0) leave(task);
    if ((what & long_step) == order) give_order(input_.take<std::uint8_t>() % pages_.size());
    if ((what & switch_policy) != 0) dispatcher_.use({.policy = policy(), .tunables = {}}, now_);
    point();
    pass(span);
    check();
  }

  void give_order(TaskId task) {
    bool const given = dispatcher_.order(task, {.amount = task});
    fuzz::require(given != ordered_[task].has_value());
    if (given) ordered_[task] = now_;
  }
  bool obeys(TaskId task) {
    return gate::obey_order(pages_[task]->gate, pages_[task]->usage, [&](gate::Order const& order) {
      fuzz::require(!pages_[task]->open());
      return gate::Answer{.amount = order.amount};
    });
  }

  void lie(gate::UsagePage& usage) {
    auto const lie = input_.take<Lie>();
    if (lie.activity != 0) usage.activity.store(static_cast<Activity>(lie.activity - 1));
    if (lie.obeyed != 0) usage.obeyed.store(lie.obeyed);
    if (lie.requests_waiting != 0) usage.requests_waiting.store(lie.requests_waiting);
    if (lie.device_busy_ns != 0) usage.device_busy_ns.store(lie.device_busy_ns);
    if (lie.executing_since_ns != 0) usage.executing_since_ns.store(lie.executing_since_ns - 1);
    if (lie.host_busy_ns != 0) usage.host_busy_ns.store(lie.host_busy_ns);
    if (lie.calls != 0) usage.calls.store(lie.calls);
    if (lie.answered != 0) usage.answered.store(lie.answered);
  }

  void pass(Nanos span) {
    Time const end = now_ + span;
    for (unsigned points = 0;; ++points) {
      Time const next = std::min(next_point_, began_ ? *began_ + kernel : Time::max());
      if (next > end) break;
      fuzz::require(points < max_points);
      now_ = std::max(now_, next);
      bool const rings = work();
      if (rings) dispatcher_.kicked(0);
      if (rings || now_ >= next_point_) point();
    }
    now_ = end;
  }

  void point() {
    Actions const actions = dispatcher_.point(now_);
    fuzz::require(actions.next > now_);
    next_point_ = actions.next;
    for (auto const& [task, order, answer] : actions.answered) {
      fuzz::require(ordered_[task].has_value() && order.amount == task &&
                    (task != 0 || answer.amount == task));
      ordered_[task].reset();
    }
    for (TaskId const task : actions.give_up) {
      fuzz::require(task != 0 && task < pages_.size());
      leave(task);
    }
    if (!actions.give_up.empty()) return point();
    if (work()) {
      dispatcher_.kicked(0);
      point();
    }
  }

  // Runs the honest worker. Returns true if it rings.
  bool work() {
    gate::UsagePage& usage = pages_[0]->usage;
    if (began_ && now_ >= *began_ + kernel) {
      usage.executing_since_ns.store(0);
      usage.device_busy_ns += static_cast<std::uint64_t>(kernel.count());
      executed_ += kernel;
      began_.reset();
    }
    if (began_) return false;
    if (pages_[0]->open()) {
      began_ = served_ = now_;
      usage.activity.store(Activity::running);
      usage.executing_since_ns.store(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
      return false;
    }
    bool const obeyed = obeys(0);
    bool const rings = obeyed || usage.activity.load() != Activity::waiting;
    pages_[0]->obey();
    usage.activity.store(Activity::waiting);
    return rings;
  }

  void check() {
    dispatcher_.bring_up_to_date(now_);
    Nanos const charged = dispatcher_.usage_since_reset(honest_domain).device_busy;
    Nanos const on_it = executed_ + (began_ ? now_ - *began_ : Nanos{0});
    fuzz::require(charged <= on_it + kernel && charged + kernel >= on_it);
    fuzz::require(now_ - served_ <= longest_wait);
    for (auto const& given : ordered_)
      fuzz::require(!given || now_ - *given <= longest_wait);
  }

  fuzz::Input input_;
  std::array<std::optional<Pages>, 6> pages_;
  std::array<std::optional<Time>, 6> ordered_; // since when a task has an order
  Dispatcher dispatcher_;
  Time now_{seconds(1)};
  Time next_point_{};
  std::optional<Time> began_; // when the honest worker's current kernel began
  Nanos executed_{0};         // the time of its finished kernels
  Time served_{now_};         // when a kernel of it began last
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  Machine(fuzz::Input(data, bytes)).run();
  return 0;
}
