// SPDX-License-Identifier: Apache-2.0
// A context's use of the accelerator's one engine: waits for it, and measures how long it was held.
#pragma once

#include "domA/device/shared/clock.h"
#include "domA/device/shared/engine.h"

namespace pegasus::software {

struct EngineUse {
  shared::EngineClient* slot = nullptr;                  // nullptr: the context does not share the engine
  std::atomic<std::uint64_t>* executing_since = nullptr; // of gate/pages.h; nullptr: not needed
  shared::Nanos busy{};                                  // device-busy time of the context so far
};

// Holds the engine while in scope, publishes that, and adds the time to the context's busy time.
class EngineHold {
public:
  explicit EngineHold(EngineUse& use) : use_(use) {
    if (use_.slot != nullptr) use_.slot->acquire();
    start_ = shared::device_now();
    say(start_);
  }
  ~EngineHold() {
    use_.busy += shared::device_now() - start_;
    say(shared::Nanos{0});
    if (use_.slot != nullptr) (void)use_.slot->release();
  }
  EngineHold(EngineHold const&) = delete;
  EngineHold& operator=(EngineHold const&) = delete;

private:
  void say(shared::Nanos since) const {
    if (use_.executing_since != nullptr)
      use_.executing_since->store(static_cast<std::uint64_t>(since.count()), std::memory_order_release);
  }

  EngineUse& use_;
  shared::Nanos start_{};
};

} // namespace pegasus::software
