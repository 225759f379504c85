// SPDX-License-Identifier: Apache-2.0
// Closing a gate by suspending the process's own work on the GPU: by which controls, what it takes, whether the
// work really stops, what a neighbour then has, and whether the work goes on.
#include "bench/gpu/facts/channel_groups.h"
#include "bench/gpu/facts/neighbour.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/work.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

namespace pegasus::facts {
namespace {

using channel_groups::Channels;
using channel_groups::Outcome;

constexpr double repeats_s = 1.5; // of closing and opening

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void series(std::string const& what, std::vector<double> const& values) {
  if (values.empty()) return;
  fact(what + ": median", median(values), "us");
  fact(what + ": longest", std::ranges::max(values), "us");
}

struct Method {
  std::function<Outcome()> close, open;
};

// A closed gate, which is open again when this ends, whatever happens.
class Closed {
public:
  explicit Closed(Method const& method) : method_(method) { closed_ = method_.close(); }
  ~Closed() {
    if (!open_) (void)method_.open();
  }
  Closed(Closed const&) = delete;
  Closed& operator=(Closed const&) = delete;

  Outcome open() {
    Outcome opened = method_.open();
    open_ = opened.status == 0;
    return opened;
  }
  [[nodiscard]] Outcome const& outcome() const { return closed_; }

private:
  Method const& method_;
  Outcome closed_;
  bool open_ = false;
};

// Alone on the GPU, and beside the neighbour.
void watch_both(Work const& work, Probe const& neighbour, std::string const& alone,
                std::string const& beside) {
  watch(work, alone, [] { sleep_ms(100); });
  watch(work, beside, [&] { neighbour.measure(beside); });
}

// Closes and opens a number of times, as long as the work goes on.
void repeat(Work const& work, Method const& method) {
  std::vector<double> closing, opening, going_on;
  int tries = 0, still = 0;
  for (double const end = now_us() + repeats_s * 1e6; tries < 20 && now_us() < end;) {
    ++tries;
    Closed gate(method);
    std::uint64_t const before = work.mapped.count();
    sleep_ms(5);
    if (work.mapped.count() == before) ++still;
    Outcome const opened = gate.open();
    if (gate.outcome().status != 0 || opened.status != 0) note(gate.outcome().text + "; " + opened.text);
    closing.push_back(gate.outcome().took_us);
    opening.push_back(opened.took_us);
    auto const took = until_it_goes_on(work.mapped);
    if (!took) break;
    going_on.push_back(*took);
    sleep_ms(2);
  }
  series("suspend", closing);
  series("resume", opening);
  series("until the work goes on", going_on);
  fact("times that it stood still for 5 ms", still, fmt::format("of {}", tries));
  fact("times that it went on within a second", static_cast<double>(going_on.size()),
       fmt::format("of {}", tries));
}

void suspend_and_look(Work const& work, Probe const& neighbour, Method const& method) {
  watch_both(work, neighbour, "alone", "beside this work");
  Outcome closed, opened;
  {
    Closed gate(method);
    closed = gate.outcome();
    watch_both(work, neighbour, "suspended", "while it is suspended");
    opened = gate.open();
  }
  auto const took = until_it_goes_on(work.mapped);
  fact("suspend, the first time", closed.took_us, "us");
  fact("resume, the first time", opened.took_us, "us");
  fact("suspend: status", closed.status, "NV_STATUS");
  fact("resume: status", opened.status, "NV_STATUS");
  note(closed.text + "; " + opened.text);
  if (took)
    fact("resume, until the work goes on", *took, "us");
  else
    note("the work did not go on within a second, or nothing shows whether it did");
  if (closed.status == 0 && opened.status == 0) repeat(work, method);
}

using Start = void (*)(Work const&); // submits the work

// `method` is asked for when the driver's objects are there.
void suspend(std::function<Method()> const& method, Start start, Session::Code code = Session::Code::ptx) {
  Probe const neighbour;
  Session session(code);
  check_groups();
  Method const chosen = method();
  Mapped const mapped(session);
  Work const work{session, mapped};
  neighbour.measure("alone");
  start(work);
  sleep_ms(20);
  suspend_and_look(work, neighbour, chosen);
  end(work);
  check(session.launch_spin(100, session.stream()), "a kernel afterwards");
  if (!session.done_within(patience_s)) throw std::runtime_error("a kernel afterwards does not end");
  note("a kernel afterwards is done");
}

Method by_channels(Channels how) {
  return {[how] { return channel_groups::set_channels(how); },
          [] { return channel_groups::set_channels(Channels::enabled); }};
}

Outcome both(Outcome first, Outcome const& then) { return first += then; }

Method by_time_slice() {
  auto const usual = channel_groups::time_slice_us();
  if (!usual) throw NotHere("the driver does not say what a channel group's time slice is");
  Outcome const none = channel_groups::set_time_slice(0);
  if (none.status != 0) note(none.text);
  (void)channel_groups::set_time_slice(*usual);
  return {[least = none.status == 0 ? 0u : 1u] { return channel_groups::set_time_slice(least); },
          [us = *usual] { return channel_groups::set_time_slice(us); }};
}

Method by_debugger() {
  fact("debugger objects", static_cast<double>(channel_groups::debuggers()), "");
  if (channel_groups::debuggers() == 0)
    throw NotHere("this driver's library makes no debugger object: there is nothing to suspend by");
  return {channel_groups::suspend_contexts, channel_groups::resume_contexts};
}

} // namespace

void suspend_kernel() {
  suspend([] { return by_channels(Channels::disabled); }, start_endless);
}
void suspend_graph() {
  suspend([] { return by_channels(Channels::disabled); }, start_graph);
}
void suspend_machine_code() {
  suspend([] { return by_channels(Channels::disabled); }, start_endless, Session::Code::machine_code);
}
void suspend_scheduling() {
  suspend([] { return by_channels(Channels::scheduling_disabled); }, start_endless);
}
void suspend_scheduling_preempted() {
  suspend(
      [] {
        return Method{[] {
                        return both(channel_groups::set_channels(Channels::scheduling_disabled),
                                    channel_groups::preempt_groups());
                      },
                      [] { return channel_groups::set_channels(Channels::enabled); }};
      },
      start_endless);
}
void suspend_groups() {
  suspend([] { return Method{channel_groups::suspend, channel_groups::resume}; }, start_endless);
}
void suspend_groups_alone() {
  suspend(
      [] {
        return Method{[] { return channel_groups::schedule_groups({}); }, channel_groups::resume};
      },
      start_endless);
}
void suspend_groups_listed() {
  suspend(
      [] {
        return Method{[] { return channel_groups::schedule_groups({.skip_submit = 1}); },
                      channel_groups::resume};
      },
      start_endless);
}
void suspend_groups_restarted() {
  suspend(
      [] {
        return Method{
            [] { return both(channel_groups::schedule_groups({}), channel_groups::restart_run_lists()); },
            channel_groups::resume};
      },
      start_endless);
}
void suspend_each_channel() {
  suspend(
      [] {
        return Method{[] { return channel_groups::schedule_channels({}); },
                      [] { return channel_groups::schedule_channels({.enable = 1}); }};
      },
      start_endless);
}
void suspend_by_time_slice() { suspend(by_time_slice, start_endless); }
void suspend_by_debugger() { suspend(by_debugger, start_endless); }

} // namespace pegasus::facts
