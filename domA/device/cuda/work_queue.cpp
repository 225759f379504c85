// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/work_queue.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr unsigned quanta = 4;                             // marks in a full queue
constexpr std::size_t max_marks = 64;                      // without checking what is done
constexpr Nanos worth_a_sleep = WorkQueue::max_queued / 2; // sleeps take some 70 us on Linux
constexpr unsigned measured_if_late = 4;                   // launches
constexpr Nanos long_launch = std::chrono::microseconds(100);
constexpr Nanos clocks_differ = std::chrono::milliseconds(1); // the device's and the host's
constexpr Nanos epoch_length = std::chrono::seconds(1);       // a float of milliseconds: 60 ns after a second

} // namespace

void WorkQueue::close() {
  hold_.close();
  abandon();
  for (CUevent* const event : {&begin_, &epoch_})
    timed_.give(std::exchange(*event, nullptr));
  timed_.close();
  untimed_.close();
}

void WorkQueue::begin(CUstream stream, KernelTime& time, std::uint64_t blocks, bool may_hold) {
  if (marks_ >= max_marks) collect();
  say_executing();
  stream_ = stream;
  streams_[stream].ended = false; // the driver may use a handle again
  if (epoch_ == nullptr) {
    if (first_work_ == Nanos{0}) first_work_ = clock_();
    epoch_ = timed_.take();
    if (epoch_ != nullptr) driver_.cuEventRecord(epoch_, stream);
  }
  if (!time.wants_sample(blocks) && measured_next_ == 0) return;
  if (measured_next_ > 0) --measured_next_;
  begin_ = timed_.take();
  if (begin_ == nullptr) return;
  began_ = clock_();
  // A kernel's first launch may load it, for which the driver waits. For a long kernel the submission is
  // a small part.
  Nanos const expected = time.expected(blocks);
  if (may_hold && expected > Nanos{0} && expected < long_launch &&
      driver_.cuStreamQuery(stream) == CUDA_SUCCESS)
    hold_.hold(stream);
  driver_.cuEventRecord(begin_, stream);
}

void WorkQueue::end(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  account(time, blocks);
  hold_.release(); // behind its end event, and also if an earlier call failed
}

void WorkQueue::account(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  Unmarked& unmarked = streams_[stream_].unmarked;
  Nanos counted = time->expected(blocks);
  // A launch with unknown time fills the queue: its measured time decides what may follow.
  if (counted == Nanos{0} && begin_ != nullptr) counted = max_queued;
  queued_ += counted;
  ++launches_;
  ++unmarked.launches;
  if (begin_ != nullptr) {
    Mark measured{
        .begin = std::exchange(begin_, nullptr), .submitted = began_, .measured = time, .blocks = blocks};
    measured.queued = measured.longest = counted;
    return mark(stream_, std::move(measured));
  }
  unmarked.expected += counted;
  unmarked.longest = std::max(unmarked.longest, counted);
  if (unmarked.launches * quanta >= max_launches_ || unmarked.expected >= quantum()) mark(stream_, {});
  if (launches_ >= max_launches_) mark_all(); // a few launches each, on many streams
}

Nanos WorkQueue::quantum() const { return std::min(longest_queued_, max_queued) / quanta; }

// Marks the end of what was submitted to the stream since its last mark.
void WorkQueue::mark(CUstream stream, Mark mark) {
  Stream& on = streams_[stream];
  Unmarked const unmarked = std::exchange(on.unmarked, {});
  mark.expected = unmarked.expected;
  mark.queued += unmarked.expected;
  mark.longest = std::max(mark.longest, unmarked.longest);
  mark.launches = unmarked.launches;
  if (mark.begin == nullptr) mark.submitted = clock_();
  mark.end = (mark.begin != nullptr ? timed_ : untimed_).take();
  if (mark.end == nullptr || driver_.cuEventRecord(mark.end, stream) != CUDA_SUCCESS) {
    queued_ -= mark.queued; // the device has failed; the program's next call returns the error
    launches_ -= mark.launches;
    return give_events(mark);
  }
  on.marks.push_back(std::move(mark));
  ++marks_;
}

void WorkQueue::collect() {
  for (auto at = streams_.begin(); at != streams_.end();) {
    Stream& stream = at->second;
    while (!stream.marks.empty()) {
      CUresult const result = driver_.cuEventQuery(stream.marks.front().end);
      if (result == CUDA_ERROR_NOT_READY) break;
      if (result != CUDA_SUCCESS) return abandon();
      Mark done = std::move(stream.marks.front());
      stream.marks.pop_front();
      --marks_;
      queued_ -= done.queued;
      launches_ -= done.launches;
      finish(stream, std::move(done));
    }
    bool const gone = stream.ended && stream.marks.empty();
    at = gone ? streams_.erase(at) : std::next(at);
  }
  say_if_empty();
}

void WorkQueue::say_executing() {
  if (std::exchange(executing_, true) || executing_since_ == nullptr) return;
  executing_since_->store(static_cast<std::uint64_t>(clock_().count()), std::memory_order_release);
}

void WorkQueue::say_if_empty() {
  if (launches_ == 0 && std::exchange(executing_, false) && executing_since_ != nullptr)
    executing_since_->store(0, std::memory_order_release);
}

void WorkQueue::finish(Stream& stream, Mark mark) {
  Nanos work = mark.expected;
  std::optional<Nanos> since_epoch;
  if (mark.begin != nullptr) {
    if (auto const took = elapsed(mark.begin, mark.end)) {
      mark.measured->sample(mark.blocks, std::max(*took, Nanos{1}));
      work += std::max(*took, Nanos{1});
    }
    since_epoch = elapsed(epoch_, mark.end);
  }
  Nanos end{0};
  if (since_epoch) {
    end = epoch_time_ + *since_epoch;
    busy_.add(std::max(end - work, stream.last_end), end);
  } else { // of a measured launch: the epoch may be behind other work of its stream, and not have happened yet
    end = busy_.fill(mark.begin != nullptr ? last_end_ : stream.last_end, device_now(), work);
  }
  stream.last_end = std::max(stream.last_end, end);
  last_end_ = std::max(last_end_, end);
  if (mark.begin != nullptr) {
    if (!since_epoch || *since_epoch >= epoch_length) begin_times_at(mark.end, end);
    Nanos const ahead = mark.submitted - (end - work + mark.expected); // it began later than it was submitted
    clock_ahead_ = std::max(clock_ahead_.value_or(ahead), ahead);
  } else if (late(stream, mark)) {
    measured_next_ = measured_if_late;
  }
  stream.last_seen = clock_();
  give_events(mark);
}

bool WorkQueue::late(Stream const& stream, Mark const& mark) const {
  Nanos const took = clock_() - std::max(stream.last_seen, mark.submitted); // at least
  return took > 4 * mark.expected + max_queued;
}

// `event` becomes the old origin.
void WorkQueue::begin_times_at(CUevent& event, Nanos time) {
  std::swap(epoch_, event);
  epoch_time_ = time;
  clock_ahead_.reset(); // clocks drift
}

Nanos WorkQueue::device_now() const { return clock_ahead_ ? clock_() - *clock_ahead_ : Nanos::max(); }

void WorkQueue::give_events(Mark const& mark) {
  timed_.give(mark.begin);
  (mark.begin != nullptr ? timed_ : untimed_).give(mark.end);
}

std::optional<Nanos> WorkQueue::elapsed(CUevent from, CUevent to) const {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  float milliseconds = 0;
  if (driver_.cuEventElapsedTime(&milliseconds, from, to) != CUDA_SUCCESS) return std::nullopt;
  Milliseconds const most = 2 * (clock_() - first_work_) + clocks_differ;
  if (!(std::abs(milliseconds) <= most.count())) return std::nullopt; // or it is not a number
  return std::chrono::duration_cast<Nanos>(Milliseconds(milliseconds));
}

void WorkQueue::abandon() {
  for (auto const& [handle, stream] : streams_)
    for (Mark const& mark : stream.marks)
      give_events(mark);
  streams_.clear();
  marks_ = 0;
  queued_ = Nanos{0};
  launches_ = 0;
  say_if_empty();
}

// If the time slice ends within the time of a full queue, the running launch is the last one.
void WorkQueue::slice_lasts(Nanos left) {
  alone_ = left == Nanos::max();
  unsigned const most = alone_ ? max_queued_alone : left > max_queued ? max_shared_ : 1;
  if (most < std::exchange(max_launches_, most)) mark_all(); // to see which of them are done
}

void WorkQueue::limit(Nanos longest) {
  Nanos const before = quantum();
  longest_queued_ = longest;
  if (quantum() < before) mark_all(); // to see which launches are done
}

Nanos WorkQueue::longest() const {
  Nanos longest{0};
  for (auto const& [handle, stream] : streams_) {
    longest = std::max(longest, stream.unmarked.longest);
    for (Mark const& mark : stream.marks)
      longest = std::max(longest, mark.longest);
  }
  return longest;
}

bool WorkQueue::full(Nanos next) const {
  if (marks_ == 0) return false;
  if (launches_ >= max_launches_) return true;
  if (next == Nanos{0}) next = max_queued;
  if (next > longest_queued_ - queued_) return true;
  return queued_ + next - std::max(next, longest()) >= max_queued;
}

bool WorkQueue::wait_for_room(CUstream stream, KernelTime const& time, std::uint64_t blocks,
                              device::TimeSlice const* time_slice) {
  for (std::optional<Nanos> began;; wait_a_little()) {
    if (time_slice != nullptr) {
      Nanos const end = time_slice->ends_at();
      slice_lasts(end == Nanos::max() ? end : end - clock_());
      limit(time_slice->pieces().at(clock_()));
    }
    if (!full(time.expected(blocks))) return true;
    collect();
    if (!began) began = clock_();
    if (!full(time.expected(blocks)) || overdue(stream, clock_() - *began)) return true;
    if (time_slice != nullptr && time_slice->over()) return false;
  }
}

// While other workers wait, only a stream without work goes on: what waits for another stream is at its front.
bool WorkQueue::overdue(CUstream stream, Nanos waited) const {
  if (waited <= queued_ + patience) return false;
  if (alone_) return launches_ < max_queued_overdue;
  auto const found = streams_.find(stream);
  return launches_ < max_launches_ && (found == streams_.end() || found->second.marks.empty());
}

// The caller checks again at once if the queue is full of short launches.
void WorkQueue::wait_a_little() const {
  if (queued_ < worth_a_sleep) return;
  timespec const pause{0, 20'000};
  nanosleep(&pause, nullptr);
}

void WorkQueue::mark_all() {
  for (auto const& [handle, stream] : streams_)
    if (stream.unmarked.launches > 0) mark(handle, {});
}

bool WorkQueue::empty() {
  mark_all();
  collect();
  return marks_ == 0;
}

void WorkQueue::forget(CUstream stream) {
  auto const found = streams_.find(stream);
  if (found == streams_.end()) return;
  if (found->second.unmarked.launches > 0) mark(stream, {});
  found->second.ended = true; // collect() erases it
}

} // namespace pegasus::cuda
