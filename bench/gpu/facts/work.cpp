// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/work.h"

#include "bench/gpu/facts/channel_groups.h"
#include "bench/gpu/facts/driver_objects.h"
#include "bench/gpu/facts/report.h"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace pegasus::facts {
namespace {

constexpr double limit_s = 8; // of an endless kernel, if all else fails

} // namespace

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void check_groups() {
  fact("ioctls of the driver's library seen", static_cast<double>(driver_objects::calls_seen()), "");
  fact("channel groups", static_cast<double>(channel_groups::count()), "");
  if (channel_groups::count() == 0)
    throw NotHere("this driver's library makes no channel groups through ioctl: there is nothing to suspend");
  fact("channels", static_cast<double>(channel_groups::channels()), "");
  note(channel_groups::list());
}

void start_endless(Work const& work) { check(work.session.launch_endless(work.mapped, limit_s), "a kernel"); }

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

void watch(Work const& work, std::string const& when, std::function<void()> const& other) {
  std::uint64_t const before = work.mapped.count();
  double const begin = now_us();
  other();
  double const done = static_cast<double>(work.mapped.count() - before);
  fact("what the work does in 100 ms, " + when, done * 1e5 / (now_us() - begin), "counts");
}

std::optional<double> until_it_goes_on(Mapped const& mapped) {
  double const begin = now_us();
  for (std::uint64_t const before = mapped.count(); now_us() - begin < 1e6;)
    if (mapped.count() != before) return now_us() - begin;
  return std::nullopt;
}

void end(Work const& work) {
  double const begin = now_us();
  work.mapped.raise();
  if (!work.session.done_within(patience_s)) throw std::runtime_error("the work does not end");
  fact("until the work is done afterwards", now_us() - begin, "us");
}

} // namespace pegasus::facts
