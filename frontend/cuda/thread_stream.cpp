// SPDX-License-Identifier: Apache-2.0
// CU_STREAM_PER_THREAD: created at a thread's first use, destroyed with the thread. "The per-thread default
// stream is not a non-blocking stream and will synchronize with the legacy default stream if both are used"
// (CUDA runtime API, Stream synchronization behavior): an ordinary blocking stream.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/pool.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

struct ThreadStream {
  std::uint64_t remote = 0;
  std::uint64_t epoch = 0; // the device context that it belongs to
  ~ThreadStream() {
    if (any_capture()) forget_stream(CU_STREAM_PER_THREAD);
    if (remote == 0 || epoch != device_epoch()) return;
    (void)with_driver([this](Channel& channel) {
      pools().stream_ends(remote);
      (void)channel.post(pegasus_stream_destroy_request{remote});
      return CUDA_SUCCESS;
    });
    remote = 0;
  }
};

} // namespace

CUresult thread_stream(Channel& channel, std::uint64_t& remote) {
  thread_local ThreadStream mine;
  if (mine.remote == 0 || mine.epoch != device_epoch()) {
    std::uint64_t const epoch = device_epoch();
    auto const [status, reply] = ask(channel, pegasus_stream_create_request{CU_STREAM_DEFAULT, 0});
    if (status != CUDA_SUCCESS) return status;
    mine.remote = reply.stream;
    mine.epoch = epoch;
  }
  remote = mine.remote;
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver
