// SPDX-License-Identifier: Apache-2.0
// Closing a gate by suspending the process's own channel groups: what it takes, whether the work really
// stops, what a neighbour then has, and whether the work goes on.
#include "bench/gpu/facts/channel_groups.h"
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
#include <vector>

namespace pegasus::facts {
namespace {

constexpr double limit_s = 20; // of an endless kernel, if all else fails

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void check_groups() {
  fact("ioctls of the driver's library seen", static_cast<double>(channel_groups::calls_seen()), "");
  fact("channel groups", static_cast<double>(channel_groups::count()), "");
  if (channel_groups::count() == 0)
    throw NotHere("this driver's library makes no channel groups through ioctl: there is nothing to suspend");
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

// Microseconds until the count grows again; nullopt: not within a second.
std::optional<double> until_it_goes_on(Mapped const& mapped) {
  double const begin = now_us();
  for (std::uint64_t const before = mapped.count(); now_us() - begin < 1e6;)
    if (mapped.count() != before) return now_us() - begin;
  return std::nullopt;
}

// Suspends and resumes the work a number of times, as long as it goes on.
void repeat(Work const& work) {
  std::vector<double> closing, opening, going_on;
  for (int n = 0; n < 20; ++n) {
    channel_groups::Outcome const closed = channel_groups::suspend();
    channel_groups::Outcome const opened = channel_groups::resume();
    if (closed.status != 0 || opened.status != 0) note(closed.text + "; " + opened.text);
    closing.push_back(closed.took_us);
    opening.push_back(opened.took_us);
    auto const took = until_it_goes_on(work.mapped);
    if (!took) break;
    going_on.push_back(*took);
    sleep_ms(2);
  }
  series("suspend", closing);
  series("resume", opening);
  series("until the work goes on", going_on);
  fact("times that it went on within a second", static_cast<double>(going_on.size()), "of 20");
}

void suspend_and_look(Work const& work, Probe const& neighbour) {
  neighbour.measure("beside this work");
  channel_groups::Outcome const closed = channel_groups::suspend();
  std::uint64_t const before = work.mapped.count();
  sleep_ms(100);
  fact("what the work did while suspended", static_cast<double>(work.mapped.count() - before), "counts");
  neighbour.measure("while it is suspended");
  channel_groups::Outcome const opened = channel_groups::resume();
  fact("suspend, the first time", closed.took_us, "us");
  fact("suspend: status", closed.status, "NV_STATUS");
  fact("resume: status", opened.status, "NV_STATUS");
  note(closed.text + "; " + opened.text);
  if (auto const took = until_it_goes_on(work.mapped))
    fact("resume, until the work goes on", *took, "us");
  else
    note("the work did not go on within a second, or nothing shows whether it did");
  if (closed.status == 0 && opened.status == 0) repeat(work);
}

void end(Work const& work) {
  double const begin = now_us();
  work.mapped.raise();
  work.session.synchronize();
  fact("until the work is done afterwards", now_us() - begin, "us");
}

// `start` submits the work.
void suspend(Session::Code code, std::function<void(Work const&)> const& start) {
  Probe const neighbour;
  Session session(code);
  check_groups();
  Mapped const mapped(session);
  Work const work{session, mapped};
  neighbour.measure("alone");
  start(work);
  sleep_ms(20);
  suspend_and_look(work, neighbour);
  end(work);
  check(session.launch_spin(100, session.stream()), "a kernel afterwards");
  session.synchronize();
}

void start_endless(Work const& work) { check(work.session.launch_endless(work.mapped, limit_s), "a kernel"); }

// Almost two seconds of kernels, each of which counts. Few enough for the driver's queue.
void start_graph(Work const& work) {
  constexpr int nodes = 100, times = 8;
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
  Mapped const mapped(session);
  start_endless({session, mapped});
  sleep_ms(20);
  neighbour.measure("beside an endless kernel");
  for (std::uint64_t const us : {10'000u, 1'000u, 100u}) {
    channel_groups::Outcome const set = channel_groups::set_time_slice(us);
    fact(fmt::format("set the time slice to {} us", us), set.took_us, "us");
    if (set.status != 0) note(set.text);
    neighbour.measure(fmt::format("beside an endless kernel with a time slice of {} us", us));
  }
  if (usual) (void)channel_groups::set_time_slice(*usual);
  end({session, mapped});
}

void suspend_kernel() { suspend(Session::Code::ptx, start_endless); }
void suspend_graph() { suspend(Session::Code::ptx, start_graph); }
void suspend_machine_code() { suspend(Session::Code::machine_code, start_endless); }

} // namespace pegasus::facts
