// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <array>
#include <fmt/format.h>

namespace pegasus::facts {
namespace {

enum class Stream { free, held }; // held: the kernel and both events reach the device together

// Mean of what two events around a kernel measure beyond the kernel's own time; with 0 us there is no kernel.
// The stream is held by a wait for a value in host memory.
void measure(Session& session, Mapped const& word, double us, Stream how) {
  constexpr int count = 200;
  CUstream const stream = session.stream();
  CUevent before = nullptr, after = nullptr;
  check(cuEventCreate(&before, CU_EVENT_DEFAULT), "cuEventCreate");
  check(cuEventCreate(&after, CU_EVENT_DEFAULT), "cuEventCreate");
  double by_events = 0, own = 0;
  for (int n = 0; n < count; ++n) {
    session.synchronize();
    word.lower();
    if (how == Stream::held)
      if (CUresult const result = cuStreamWaitValue32(stream, word.flag(), 1, CU_STREAM_WAIT_VALUE_GEQ);
          result != CUDA_SUCCESS)
        return note(fmt::format("cuStreamWaitValue32, which would hold a stream: {}", name_of(result)));
    check(cuEventRecord(before, stream), "cuEventRecord");
    if (us > 0) check(session.launch_spin(us, stream), "a kernel");
    check(cuEventRecord(after, stream), "cuEventRecord");
    word.raise();
    session.synchronize();
    float ms = 0;
    check(cuEventElapsedTime(&ms, before, after), "cuEventElapsedTime");
    by_events += 1e3 * ms / count;
    if (us > 0) own += session.spun_us() / count;
  }
  std::string const text =
      fmt::format("a kernel of {:g} us{}", us, how == Stream::held ? ", stream held" : "");
  fact(text + ": by its own clock", own, "us");
  fact(text + ": by events, more than that", by_events - own, "us");
}

} // namespace

void timing() {
  Session session;
  Mapped const word(session);
  for (double const us : {0.0, 2.0, 5.0, 20.0, 100.0})
    for (Stream const how : {Stream::free, Stream::held})
      if (how == Stream::free || word.usable()) measure(session, word, us, how);
}

} // namespace pegasus::facts
