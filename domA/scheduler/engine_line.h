// SPDX-License-Identifier: Apache-2.0
// The line of workers for an accelerator's engine, where they arrange among themselves who executes next
// (domA/device/shared/engine.h). Who may be in it follows their gates.
#pragma once

#include "policies/view.h"

#include <optional>

namespace pegasus::scheduler {

using policies::TaskId;

class EngineLine {
public:
  virtual void admit(TaskId task) = 0;   // before its gate opens
  virtual void dismiss(TaskId task) = 0; // it has stopped
  // Who has the engine or is about to take it; nullopt: nobody.
  [[nodiscard]] virtual std::optional<TaskId> first() const = 0;

protected:
  ~EngineLine() = default;
};

} // namespace pegasus::scheduler
