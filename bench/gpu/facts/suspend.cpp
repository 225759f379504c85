// SPDX-License-Identifier: Apache-2.0
// Closing a gate by suspending the process's own work on the GPU: by which controls, what it takes, whether the
// work really stops, what a neighbour then has, and whether the work goes on.
#include "bench/gpu/facts/channel_groups.h"
#include "bench/gpu/facts/driver_objects.h"
#include "bench/gpu/facts/neighbour.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace pegasus::facts {
namespace {

using channel_groups::Channels;
using channel_groups::Outcome;

constexpr double limit_s = 8;     // of an endless kernel, if all else fails
constexpr double patience_s = 4;  // with work that was told to end
constexpr double repeats_s = 1.5; // of closing and opening

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void check_groups() {
  fact("ioctls of the driver's library seen", static_cast<double>(driver_objects::calls_seen()), "");
  fact("channel groups", static_cast<double>(channel_groups::count()), "");
  if (channel_groups::count() == 0)
    throw NotHere("this driver's library makes no channel groups through ioctl: there is nothing to suspend");
  fact("channels", static_cast<double>(channel_groups::channels()), "");
  note(channel_groups::list());
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void series(std::string const& what, std::vector<double> const& values) {
  if (values.empty()) return;
  fact(what + ": median", median(values), "us");
  fact(what + ": longest", std::ranges::max(values), "us");
}

// Work that is on the device, and counts what it has done in `mapped`.
struct Work {
  Session& session;
  Mapped const& mapped;
};

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

// Microseconds until the count grows again; nullopt: not within a second.
std::optional<double> until_it_goes_on(Mapped const& mapped) {
  double const begin = now_us();
  for (std::uint64_t const before = mapped.count(); now_us() - begin < 1e6;)
    if (mapped.count() != before) return now_us() - begin;
  return std::nullopt;
}

// What the work does while `other` takes its time, in each 100 ms of that.
void watch(Work const& work, std::string const& when, std::function<void()> const& other) {
  std::uint64_t const before = work.mapped.count();
  double const begin = now_us();
  other();
  double const done = static_cast<double>(work.mapped.count() - before);
  fact("what the work does in 100 ms, " + when, done * 1e5 / (now_us() - begin), "counts");
}

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

void end(Work const& work) {
  double const begin = now_us();
  work.mapped.raise();
  if (!work.session.done_within(patience_s)) throw std::runtime_error("the work does not end");
  fact("until the work is done afterwards", now_us() - begin, "us");
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

void start_endless(Work const& work) { check(work.session.launch_endless(work.mapped, limit_s), "a kernel"); }

// Almost two seconds of kernels, each of which counts. Few enough for the driver's queue.
void start_graph(Work const& work) {
  constexpr int nodes = 100, times = 9;
  CUgraph graph = nullptr;
  CUgraphExec whole = nullptr;
  Session& session = work.session;
  if (work.mapped.usable()) session.count_in(work.mapped.rounds());
  check(cuStreamBeginCapture(session.stream(), CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  for (int n = 0; n < nodes; ++n)
    check(session.launch_spin(2000, session.stream()), "a kernel");
  check(cuStreamEndCapture(session.stream(), &graph), "cuStreamEndCapture");
  check(cuGraphInstantiate(&whole, graph, 0), "cuGraphInstantiate");
  for (int n = 0; n < times; ++n)
    check(cuGraphLaunch(whole, session.stream()), "cuGraphLaunch");
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

// A group's share of the GPU beside other groups, as the driver sets it and as a process may set its own.
void time_slices() {
  Probe const neighbour;
  Session session;
  check_groups();
  auto const usual = channel_groups::time_slice_us();
  if (usual)
    fact("time slice of a channel group", static_cast<double>(*usual), "us");
  else
    note("the driver does not say what a channel group's time slice is");
  auto const level = channel_groups::interleave_level();
  if (level) fact("interleave level of a channel group", *level, "");
  Mapped const mapped(session);
  Work const work{session, mapped};
  start_endless(work);
  sleep_ms(20);
  auto const look = [&](std::string const& with) {
    std::string const when = "beside an endless kernel" + with;
    watch(work, when, [&] { neighbour.measure(when); });
  };
  look("");
  for (std::uint64_t const us : {10'000u, 1'000u, 100u, 1u, 0u}) {
    Outcome const set = channel_groups::set_time_slice(us);
    fact(fmt::format("set the time slice to {} us", us), set.took_us, "us");
    if (set.status != 0)
      note(set.text);
    else
      look(fmt::format(" with a time slice of {} us", us));
  }
  if (usual) (void)channel_groups::set_time_slice(*usual);
  for (std::uint32_t const to : {0u, 2u}) {
    Outcome const set = channel_groups::set_interleave_level(to);
    if (set.status != 0)
      note(set.text);
    else
      look(fmt::format(" with interleave level {}", to));
  }
  if (level) (void)channel_groups::set_interleave_level(*level);
  end(work);
}

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
