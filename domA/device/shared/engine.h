// SPDX-License-Identifier: Apache-2.0
// The software accelerator's one execution engine: one kernel at a time, in the order in which workers asked for it,
// like the front end of a GPU among its channels. A worker that submits longer kernels gets more of the device; the
// policies do the actual scheduling, not this line.
//
// The line is Lamport's bakery ("A New Solution of Dijkstra's Concurrent Programming Problem", 1974) with the time as
// the ticket: each worker writes its own place and reads the others'. Who may be in the line is pegasusd's word: workers
// do not see the places of those whose gate is closed. A hostile worker can therefore hold up others only while its
// gate is open, and only by its own place, where pegasusd sees it and charges it for that time (EngineLine in
// domA/scheduler). It can make no process crash or access memory outside the pages.
#pragma once

#include "domA/device/shared/engine_order.h"
#include "domA/device/shared/shared_pages.h"

#include <chrono>
#include <optional>

namespace pegasus::shared {

using Nanos = std::chrono::nanoseconds;

// Only pegasusd writes it. The layout is private to one version of the daemon and its workers.
struct EngineAccess {
  SlotBits admitted; // their gate is open, or they have not stopped since
  SlotBits known;    // have been admitted since their worker started
};

// How a worker waits that is not alone in the line. It is then off the device: whoever wants its gate closed need not
// wait for it.
class EngineGate {
public:
  virtual void off_device() = 0;
  // While it waits: false if its gate has been closed since off_device(). It is then on the device, and leaves the line.
  [[nodiscard]] virtual bool may_wait() = 0;
  // Its turn has come: true if its gate has been open since off_device(). It is then on the device.
  [[nodiscard]] virtual bool may_enter() = 0;
  virtual void wait_until_open() = 0; // after one of them returned false

protected:
  ~EngineGate() = default;
};

// How long a waiter spins before it sleeps, and how often a sleeper checks again. Correctness does not depend
// on the second: it bounds the delay behind a place that pegasusd takes out of the line.
struct EngineTuning {
  std::uint32_t spins = 400; // a few microseconds: about what a futex wake-up costs
  Nanos recheck = std::chrono::milliseconds{5};
  // What it takes to change the owner, as on a device that restores a context. The new owner spins for that
  // long before its hold begins.
  Nanos switch_cost{0};
};

// One worker's place at the engine. For one thread. The pages must outlive it.
class EngineClient {
public:
  // slot < slot_count; `own` is that slot's page, which this process may write. `gate`: nullptr: the worker waits in
  // the line however long it takes.
  EngineClient(EngineAccess const* access, SlotPages const* pages, SlotPage* own, std::uint32_t slot,
               EngineTuning tuning = {}, EngineGate* gate = nullptr);
  EngineClient(EngineClient const&) = delete;
  EngineClient& operator=(EngineClient const&) = delete;

  // Returns when this slot owns the engine. Do not call it while it does.
  void acquire();
  Nanos release(); // leaves the line; returns how long the engine was held

private:
  [[nodiscard]] bool passes_line();
  void take_ticket();
  void leave_line();
  [[nodiscard]] bool is_before(InLine other) const;
  [[nodiscard]] std::optional<std::uint32_t> last_before() const;
  void wait_behind(std::uint32_t other);
  [[nodiscard]] bool changes_owner() const;
  void change_owner();

  EngineAccess const* access_;
  SlotPages const* pages_;
  EnginePlace* place_;
  std::uint32_t slot_;
  EngineTuning tuning_;
  EngineGate* gate_;
  std::uint64_t ticket_ = 0;
  Nanos since_{};
};

} // namespace pegasus::shared
