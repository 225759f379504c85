// SPDX-License-Identifier: Apache-2.0
// The CPU time of a worker. What a worker does it does between compute(), poll() or await_device() and
// computed(), which comes when it has a pCPU. One of these at a time.
#pragma once

#include "policies/view.h"

namespace pegasus::sim {

using policies::Nanos;

class WorkerCpu {
public:
  class User {
  public:
    virtual void computed() = 0; // may ask for more at once; otherwise the worker sleeps

  protected:
    ~User() = default;
  };
  virtual ~WorkerCpu() = default;

  virtual void begin(User& user) = 0;
  virtual void end() = 0; // the worker is dead: computed() is not called any more

  // For `span` of CPU time, after a sleep of `nap`.
  virtual void compute(Nanos span, Nanos nap) = 0;
  virtual void poll() = 0;             // for a call, for a while or until signal()
  virtual void polled(bool found) = 0; // how that ended
  // Until signal(). If the program waits for it, as the device's driver waits, which may poll;
  // else it sleeps.
  virtual void await_device(bool program_waits) = 0;
  virtual void signal() = 0; // polls no longer, or sleeps no longer

  [[nodiscard]] virtual Nanos used() const = 0; // CPU time so far, in computed()
};

} // namespace pegasus::sim
