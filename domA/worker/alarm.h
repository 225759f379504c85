// SPDX-License-Identifier: Apache-2.0
// Bounds a call that runs in a library whose time nobody knows, such as a driver's compiler. The library cannot be
// interrupted: when the time is up, the process ends, with a message.
#pragma once

#include <chrono>

namespace pegasus::worker {

// Call once, before the sandbox and before threads are started. `limit` 0: never.
void prepare_alarm(std::chrono::milliseconds limit);

// While it exists, the time runs. Without prepare_alarm() it does nothing.
class Alarm {
public:
  Alarm();
  ~Alarm();
  Alarm(Alarm const&) = delete;
  Alarm& operator=(Alarm const&) = delete;
};

} // namespace pegasus::worker
