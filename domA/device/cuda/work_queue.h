// SPDX-License-Identifier: Apache-2.0
// The work of a context that was submitted to the GPU, and how much of it is done: accounts for device time,
// limits the queued work, and reports when no work is left after the gate has closed.
//
// A GPU executes asynchronously, so the time of a call is not the time of its work. Events measure it around
// sampled launches (kernel_time.h). A mark at the end of each quantum of work on a stream shows that it is done:
// an event, with a time only behind a sampled launch, because an event with a time costs an H100 2 us and one
// without nothing (docs/evaluation/gpu.md). The time of a quantum is the measured time of its sampled launch plus
// the expected time of the others. It ends at its mark, and streams that overlap are not charged twice
// (busy_time.h). Where the mark has no time, the quantum is charged at a time that was not charged yet, between the
// stream's last mark and now: in full, as long as the device can have executed one stream's work after the
// other's. If it is done much later than expected, the next launches are measured.
//
// The limits hold for all streams together, but for one launch, the longest: it overruns a time slice by its
// own length anyway, and what runs beside it comes at no cost. Work on other streams need not wait for it.
#pragma once

#include "domA/device/cuda/busy_time.h"
#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/event_pool.h"
#include "domA/device/cuda/kernel_time.h"
#include "domA/device/cuda/stream_hold.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace pegasus::cuda {

class WorkQueue {
public:
  // How much work may wait on the device: how far a time slice can overrun its end, besides one launch, if
  // kernels take as long as before. Enough to keep a GPU busy while the worker sleeps for a moment.
  static constexpr Nanos max_queued = std::chrono::milliseconds(1);
  // How many launches may wait on the device while no other domain waits for it. A domain that arrives then
  // may have to wait for this many launches that take longer than expected. Enough for kernels of several
  // streams side by side.
  static constexpr unsigned max_queued_alone = 16;
  // A kernel may wait for a kernel of another stream. When work takes this much longer than it should, what is
  // behind it is submitted all the same, within the limits on the number of launches; while no other domain waits
  // for the device the limit is then the second of these.
  static constexpr Nanos patience = std::chrono::milliseconds(10);
  static constexpr unsigned max_queued_overdue = 64;

  using Clock = Nanos (*)(); // CLOCK_MONOTONIC

  // maps_host_memory: the device reads the host's memory, so it can wait for a value there. max_shared: how
  // many launches may be on the device while other workers wait for it, at least 1; this is how far a time
  // slice can overrun its end if kernels take longer than before. executing_since: of gate/pages.h, since
  // when the queue has not been empty; nullptr: not needed.
  WorkQueue(Driver const& driver, bool maps_host_memory, unsigned max_shared,
            std::atomic<std::uint64_t>* executing_since = nullptr, Clock clock = monotonic)
      : driver_(driver), hold_(driver, maps_host_memory), max_shared_(max_shared), clock_(clock),
        executing_since_(executing_since), timed_(driver, CU_EVENT_DEFAULT),
        untimed_(driver, CU_EVENT_DISABLE_TIMING) {}
  ~WorkQueue() { close(); }
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  void close(); // destroys its events; the context must still exist

  // Call them before and after every submission of device work. `time` belongs to the submitted
  // work. may_hold: submitting it never waits for the device, so the stream can be held meanwhile if
  // it is idle (stream_hold.h).
  void begin(CUstream stream, KernelTime& time, std::uint64_t blocks, bool may_hold = false);
  void end(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks);

  // Checks what was done since the last call.
  void collect();
  // The remaining time of the time slice, which limits the launches on the device from now on. Nanos::max():
  // no other worker waits for its end.
  void slice_lasts(Nanos left);
  // How long all the work on the device may take from now on, as far as it can be divided into pieces; max: no other
  // domain is expected.
  void limit(Nanos longest);
  [[nodiscard]] Nanos now() const { return clock_(); }
  // Returns true if a launch that takes `next` should not be submitted until some work is done, as of the last
  // collect(). 0: the launch's time is unknown.
  [[nodiscard]] bool full(Nanos next = Nanos{0}) const;
  // Waits until this launch may be submitted; returns false if the time slice was over first. nullptr: whatever
  // the time slice.
  [[nodiscard]] bool wait_for_room(CUstream stream, KernelTime const& time, std::uint64_t blocks,
                                   device::TimeSlice const* time_slice);
  // Returns true if no work is left on the device. Marks the work that has no mark yet.
  [[nodiscard]] bool empty();
  [[nodiscard]] Nanos busy() const { return busy_.total(); }
  void forget(CUstream stream); // before it is destroyed

private:
  struct Mark {
    CUevent begin = nullptr; // of a measured launch; then both events have times
    CUevent end = nullptr;
    Nanos submitted{0}; // when; of a measured launch, before it
    std::shared_ptr<KernelTime> measured;
    std::uint64_t blocks = 0;
    Nanos expected{0}; // of unmeasured launches, since the previous mark on this stream
    Nanos queued{0};   // of all launches, for the limit
    Nanos longest{0};  // of them
    unsigned launches = 0;
  };
  struct Unmarked {
    Nanos expected{0};
    Nanos longest{0};
    unsigned launches = 0;
  };
  struct Stream {
    std::deque<Mark> marks; // in the order of submission
    Unmarked unmarked;
    Nanos last_end{0};
    Nanos last_seen{0}; // when it was
    bool ended = false; // the program has destroyed it
  };

  [[nodiscard]] static Nanos monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }
  [[nodiscard]] Nanos quantum() const;
  void account(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks);
  void mark(CUstream stream, Mark mark);
  void mark_all();
  void finish(Stream& stream, Mark mark);
  [[nodiscard]] bool late(Stream const& stream, Mark const& mark) const;
  void begin_times_at(CUevent& event, Nanos time);
  [[nodiscard]] Nanos device_now() const; // at most, in the device's times
  void give_events(Mark const& mark);
  void say_executing();
  void say_if_empty();
  void abandon(); // the device no longer answers: its finished work is unknown
  void wait_a_little() const;
  [[nodiscard]] bool overdue(CUstream stream, Nanos waited) const;
  [[nodiscard]] Nanos longest() const; // of the launches on the device
  // nullopt: the driver does not say, because one is not done; or what it says is longer than there has been work.
  [[nodiscard]] std::optional<Nanos> elapsed(CUevent from, CUevent to) const;

  Driver const& driver_;
  StreamHold hold_;
  unsigned max_shared_;
  unsigned max_launches_ = max_queued_alone; // the current limit
  bool alone_ = true;                        // no other worker waits
  Nanos longest_queued_ = Nanos::max();      // all work together, while another domain is expected
  Clock clock_;
  std::atomic<std::uint64_t>* executing_since_;
  EventPool timed_, untimed_;
  std::map<CUstream, Stream> streams_;
  std::size_t marks_ = 0;     // of all streams
  bool executing_ = false;    // the state last written to executing_since_
  CUstream stream_ = nullptr; // between begin() and end()
  CUevent begin_ = nullptr;
  Nanos began_{0};             // when it was submitted
  unsigned measured_next_ = 0; // launches
  CUevent epoch_ = nullptr;    // the origin of times
  Nanos epoch_time_{0};
  Nanos first_work_{0};              // when it was submitted
  std::optional<Nanos> clock_ahead_; // of the device's times, at least
  Nanos last_end_{0};
  Nanos queued_{0};
  unsigned launches_ = 0; // queued
  BusyTime busy_;
};

} // namespace pegasus::cuda
