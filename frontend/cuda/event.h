// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/cuda/context.h"

#include <vector>

namespace pegasus::driver {

struct Event {
  using Handle = CUevent;
  static constexpr Kind kind = Kind::event;

  CUevent handle = nullptr;
  Context* context = nullptr;
  std::uint64_t remote = 0;
  unsigned flags = 0;
  std::atomic<bool> recorded = false; // until then it counts as complete, as CUDA defines
  // The stream capture in which the event was recorded last; 0: recorded in a stream, or never.
  // captured_after: the nodes that it stands for there. The captures' lock guards both.
  std::atomic<std::uint64_t> capture = 0;
  std::vector<CUgraphNode> captured_after;
};

void destroy(Channel& channel, Event& event);
CUresult record(Channel& channel, Event& event, std::uint64_t stream);
CUresult wait(Channel& channel, Event const& event, std::uint64_t stream);

} // namespace pegasus::driver
