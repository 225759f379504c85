// SPDX-License-Identifier: Apache-2.0
// What a context has given to the GPU and what of it is done: device time for the accounts, a bound on what
// is queued, and the word that nothing is left when the gate has closed.
//
// A GPU executes asynchronously, so a call's time is not its work's. Events measure: around sampled launches
// (kernel_time.h), and a mark at the end of each quantum of work. The time of a quantum is what its measured
// launches took and the others are expected to have taken, at most the time since the mark before: streams
// that overlap are not charged twice.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/kernel_time.h"
#include "domA/device/cuda/stream_hold.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace pegasus::cuda {

class WorkQueue {
public:
  // How much work may wait on the device: what a turn can overrun its end by, besides one launch, if kernels
  // take what they took before. Enough to keep a GPU busy while the worker sleeps for a moment.
  static constexpr Nanos most_queued = std::chrono::milliseconds(1);
  // How many launches may wait on the device while no other domain waits for it: somebody who arrives then
  // may find so many that take longer than they did. Enough for kernels of several streams side by side.
  static constexpr unsigned most_alone = 16;

  // maps_host_memory: the device reads the host's memory, and so can wait for what is written there.
  // most_shared: how many launches may be on the device while others wait for it, at least 1: what a turn
  // can overrun its end by if kernels grow longer than they were. executing_since: of gate/pages.h, since
  // when the queue has not been empty; null: nobody looks.
  WorkQueue(Driver const& driver, bool maps_host_memory, unsigned most_shared,
            std::atomic<std::uint64_t>* executing_since = nullptr)
      : driver_(driver), hold_(driver, maps_host_memory), most_shared_(most_shared),
        executing_since_(executing_since) {}
  ~WorkQueue() { close(); }
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  void close(); // gives its events back, while the context is still there

  // Around every submission of device work. `time` is that of what is submitted; may_hold: to submit it never
  // waits for the device, so that the stream can be held meanwhile if it is idle (stream_hold.h).
  void begin(CUstream stream, KernelTime& time, std::uint64_t blocks, bool may_hold = false);
  void end(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks);

  // Looks what has been done since.
  void collect();
  // How long the turn still lasts, which says how many launches may be on the device from now on.
  // Nanos::max(): nobody waits for its end.
  void turn_lasts(Nanos left);
  // No more should be submitted until some of it is done; as far as collect() has seen.
  [[nodiscard]] bool full() const;
  void wait_a_little() const; // while it is full
  void wait_for_room();
  // Nothing is left on the device. Marks what is not marked yet.
  [[nodiscard]] bool empty();
  [[nodiscard]] Nanos busy() const { return busy_; }
  void forget(CUstream stream); // it is about to be destroyed

private:
  struct Mark {
    CUevent begin = nullptr; // of a measured launch
    CUevent end = nullptr;
    std::shared_ptr<KernelTime> measured;
    std::uint64_t blocks = 0;
    Nanos expected{0}; // of what is not measured, since the mark before on this stream
    Nanos queued{0};   // of all of it, for the bound
    unsigned launches = 0;
  };
  struct Unmarked {
    Nanos expected{0};
    unsigned launches = 0;
  };

  [[nodiscard]] CUevent event();
  void account(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks);
  void mark(CUstream stream, Mark mark);
  void mark_all();
  void finish(Mark const& mark);
  void say_executing();
  void say_if_empty();
  void abandon(); // the device answers no more: what it did is not known
  [[nodiscard]] Nanos time_of(CUevent event);

  Driver const& driver_;
  StreamHold hold_;
  unsigned most_shared_;
  unsigned most_launches_ = most_alone; // now
  std::atomic<std::uint64_t>* executing_since_;
  std::vector<CUevent> spare_;
  std::deque<Mark> marks_; // in the order of submission
  std::map<CUstream, Unmarked> unmarked_;
  bool executing_ = false;    // as executing_since_ says
  CUstream stream_ = nullptr; // between begin() and end()
  CUevent begin_ = nullptr;
  CUevent epoch_ = nullptr; // times are counted from it
  Nanos epoch_time_{0};
  Nanos last_end_{0};
  Nanos queued_{0};
  unsigned launches_ = 0; // queued
  Nanos busy_{0};
};

} // namespace pegasus::cuda
