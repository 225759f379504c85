// SPDX-License-Identifier: Apache-2.0
// Holds the engine while in scope and adds the time it was held to the context's device-busy time.
#pragma once

#include "domA/device/software/clock.h"
#include "domA/device/software/engine.h"

namespace pegasus::software {

class EngineTurn {
public:
  EngineTurn(EngineSeat* engine, Nanos& busy)
      : engine_(engine), busy_(busy) { // no engine: nobody to share it with
    if (engine_ != nullptr) engine_->acquire();
    start_ = device_now();
  }
  ~EngineTurn() {
    busy_ += device_now() - start_;
    if (engine_ != nullptr) (void)engine_->release();
  }
  EngineTurn(EngineTurn const&) = delete;
  EngineTurn& operator=(EngineTurn const&) = delete;

private:
  EngineSeat* engine_;
  Nanos& busy_;
  Nanos start_{};
};

} // namespace pegasus::software
