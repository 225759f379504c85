// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/cuda/context.h"

namespace pegasus::driver {

struct Event {
  using Handle = CUevent;
  static constexpr Kind kind = Kind::event;

  CUevent handle = nullptr;
  Context* context = nullptr;
  std::uint64_t remote = 0;
  unsigned flags = 0;
  std::atomic<bool> recorded = false; // until then it counts as complete, as CUDA defines
};

void destroy(Channel& channel, Event& event);
CUresult record(Channel& channel, Event& event, std::uint64_t stream);

} // namespace pegasus::driver
