// SPDX-License-Identifier: Apache-2.0
// Holds the engine while in scope, says so, and adds the time it was held to the context's device-busy time.
#pragma once

#include "domA/device/shared/clock.h"
#include "domA/device/shared/engine.h"

namespace pegasus::software {

class EngineTurn {
public:
  // No engine: nobody to share it with. `executing_since`, of gate/pages.h: nobody looks.
  EngineTurn(shared::EngineSeat* engine, std::atomic<std::uint64_t>* executing_since, shared::Nanos& busy)
      : engine_(engine), executing_since_(executing_since), busy_(busy) {
    if (engine_ != nullptr) engine_->acquire();
    start_ = shared::device_now();
    say(start_);
  }
  ~EngineTurn() {
    busy_ += shared::device_now() - start_;
    say(shared::Nanos{0});
    if (engine_ != nullptr) (void)engine_->release();
  }
  EngineTurn(EngineTurn const&) = delete;
  EngineTurn& operator=(EngineTurn const&) = delete;

private:
  void say(shared::Nanos since) const {
    if (executing_since_ != nullptr)
      executing_since_->store(static_cast<std::uint64_t>(since.count()), std::memory_order_release);
  }

  shared::EngineSeat* engine_;
  std::atomic<std::uint64_t>* executing_since_;
  shared::Nanos& busy_;
  shared::Nanos start_{};
};

} // namespace pegasus::software
