// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <array>
#include <fmt/format.h>
#include <functional>

namespace pegasus::facts {
namespace {

constexpr std::array lengths_us{2, 5, 20, 100};
constexpr int count = 1000;

double each(int times, std::function<void()> const& what) {
  what();
  double const begin = now_us();
  for (int i = 0; i < times; ++i)
    what();
  return (now_us() - begin) / times;
}

class Events {
public:
  explicit Events(unsigned flags) {
    for (CUevent& event : all_)
      check(cuEventCreate(&event, flags), "cuEventCreate");
  }
  [[nodiscard]] CUevent operator[](int i) const { return all_[static_cast<std::size_t>(i) % all_.size()]; }

private:
  std::array<CUevent, 32> all_{};
};

void single_calls(Session& session) {
  CUstream const stream = session.stream();
  Events const timing(CU_EVENT_DEFAULT), untimed(CU_EVENT_DISABLE_TIMING);
  auto const record = [stream](CUevent event) { check(cuEventRecord(event, stream), "cuEventRecord"); };
  fact("an empty kernel, and the wait for it",
       each(count,
            [&] {
              check(session.launch_empty(stream), "a kernel");
              session.synchronize();
            }),
       "us");
  fact("an empty kernel and an event, until the event is seen",
       each(count,
            [&] {
              check(session.launch_empty(stream), "a kernel");
              record(untimed[0]);
              while (cuEventQuery(untimed[0]) == CUDA_ERROR_NOT_READY) {
              }
            }),
       "us");
  fact("record an event with timing", each(count, [&] { record(timing[0]); }), "us");
  session.synchronize();
  fact("record an event without timing", each(count, [&] { record(untimed[0]); }), "us");
  record(timing[1]);
  session.synchronize();
  float ms = 0;
  fact("cuEventElapsedTime", each(count, [&] { (void)cuEventElapsedTime(&ms, timing[0], timing[1]); }), "us");
  fact("cuEventQuery", each(count, [&] { (void)cuEventQuery(timing[0]); }), "us");
  fact("cuStreamQuery", each(count, [&] { (void)cuStreamQuery(stream); }), "us");
}

enum class Between { nothing, event, untimed_event, word, two_events };
constexpr std::array<std::pair<Between, char const*>, 5> betweens{{
    {Between::nothing, "alone"},
    {Between::event, "an event behind each"},
    {Between::untimed_event, "an event without timing behind each"},
    {Between::word, "a written word behind each"},
    {Between::two_events, "two events around each"},
}};

class Queue {
public:
  explicit Queue(Session& session) : session_(session) { check(cuMemAlloc(&word_, 4096), "cuMemAlloc"); }

  // Kernels without a pause: what each costs.
  void back_to_back(int us, Between between, char const* name) {
    CUstream const stream = session_.stream();
    std::string const text = fmt::format("kernels of {} us, {}", us, name);
    double begin = 0, submitted = 0;
    for (int round = 0; round < 2; ++round) { // the first one warms up
      session_.synchronize();
      begin = now_us();
      for (int n = 0; n < count; ++n) {
        if (between == Between::two_events) (void)cuEventRecord(timing_[2 * n], stream);
        check(session_.launch_spin(us, stream), "a kernel");
        if (CUresult const result = behind(between, n); result != CUDA_SUCCESS) {
          session_.synchronize();
          return note(fmt::format("{}: {}", text, name_of(result)));
        }
      }
      submitted = now_us();
      session_.synchronize();
    }
    fact(text + ": each", (now_us() - begin) / count, "us");
    fact(text + ": submission of each", (submitted - begin) / count, "us");
  }

  // At most `window` launches on the device, seen done by their events.
  void windowed(int us, int window) {
    session_.synchronize();
    double const begin = now_us();
    for (int n = 0; n < count; ++n) {
      while (n >= window && cuEventQuery(untimed_[n - window]) == CUDA_ERROR_NOT_READY) {
      }
      check(session_.launch_spin(us, session_.stream()), "a kernel");
      check(cuEventRecord(untimed_[n], session_.stream()), "cuEventRecord");
    }
    session_.synchronize();
    fact(fmt::format("kernels of {} us, {} at most on the device: each", us, window),
         (now_us() - begin) / count, "us");
  }

private:
  [[nodiscard]] CUresult behind(Between between, int n) {
    CUstream const stream = session_.stream();
    switch (between) {
    case Between::nothing:
      return CUDA_SUCCESS;
    case Between::event:
    case Between::two_events:
      return cuEventRecord(timing_[2 * n + 1], stream);
    case Between::untimed_event:
      return cuEventRecord(untimed_[n], stream);
    case Between::word:
      return cuStreamWriteValue32(stream, word_, static_cast<cuuint32_t>(n), 0);
    }
    return CUDA_SUCCESS;
  }

  Session& session_;
  Events timing_{CU_EVENT_DEFAULT}, untimed_{CU_EVENT_DISABLE_TIMING};
  CUdeviceptr word_ = 0;
};

void whole_graph(Session& session, int us) {
  constexpr int nodes = 200, times = 10;
  CUgraph graph = nullptr;
  CUgraphExec whole = nullptr;
  check(cuStreamBeginCapture(session.stream(), CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  for (int n = 0; n < nodes; ++n)
    check(session.launch_spin(us, session.stream()), "a kernel");
  check(cuStreamEndCapture(session.stream(), &graph), "cuStreamEndCapture");
  check(cuGraphInstantiate(&whole, graph, 0), "cuGraphInstantiate");
  double begin = 0, submitted = 0;
  for (int round = 0; round < 2; ++round) {
    session.synchronize();
    begin = now_us();
    for (int n = 0; n < times; ++n)
      check(cuGraphLaunch(whole, session.stream()), "cuGraphLaunch");
    submitted = now_us();
    session.synchronize();
  }
  std::string const text = fmt::format("a graph of {} kernels of {} us", nodes, us);
  fact(text + ": each kernel", (now_us() - begin) / times / nodes, "us");
  fact(text + ": submission of each kernel", (submitted - begin) / times / nodes, "us");
}

} // namespace

void launches() {
  Session session;
  single_calls(session);
  Queue queue(session);
  for (int const us : lengths_us)
    for (auto const& [between, name] : betweens)
      queue.back_to_back(us, between, name);
  for (int const us : lengths_us)
    for (int const window : {1, 2, 4, 16})
      queue.windowed(us, window);
  for (int const us : {2, 5, 20})
    whole_graph(session, us);
}

} // namespace pegasus::facts
