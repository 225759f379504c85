// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/work_queue.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr Nanos quantum = WorkQueue::max_queued / 4;
constexpr unsigned quanta = 4;                             // marks in a queue that is full of launches
constexpr std::size_t max_marks = 64;                      // without checking what is done
constexpr Nanos worth_a_sleep = WorkQueue::max_queued / 2; // sleeps take some 70 us on Linux
constexpr Nanos epoch_length = std::chrono::seconds(1);    // a float of milliseconds: 60 ns after a second

} // namespace

void WorkQueue::close() {
  hold_.close();
  abandon();
  for (CUevent* const event : {&begin_, &epoch_})
    if (CUevent const used = std::exchange(*event, nullptr); used != nullptr) spare_.push_back(used);
  for (CUevent const event : spare_)
    driver_.cuEventDestroy(event);
  spare_.clear();
}

CUevent WorkQueue::event() {
  if (!spare_.empty()) {
    CUevent const used = spare_.back();
    spare_.pop_back();
    return used;
  }
  CUevent made = nullptr;
  return driver_.cuEventCreate(&made, CU_EVENT_DEFAULT) == CUDA_SUCCESS ? made : nullptr;
}

void WorkQueue::begin(CUstream stream, KernelTime& time, std::uint64_t blocks, bool may_hold) {
  if (marks_.size() >= max_marks) collect();
  say_executing();
  stream_ = stream;
  if (epoch_ == nullptr) {
    epoch_ = event();
    if (epoch_ != nullptr) driver_.cuEventRecord(epoch_, stream);
  }
  if (!time.wants_sample(blocks)) return;
  begin_ = event();
  if (begin_ == nullptr) return;
  // A kernel's first launch may load it, for which the driver waits. For a long kernel the submission is
  // a small part.
  Nanos const expected = time.expected(blocks);
  if (may_hold && expected > Nanos{0} && expected < KernelTime::long_launch &&
      driver_.cuStreamQuery(stream) == CUDA_SUCCESS)
    hold_.hold(stream);
  driver_.cuEventRecord(begin_, stream);
}

void WorkQueue::end(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  account(time, blocks);
  hold_.release(); // behind its end event, and also if an earlier call failed
}

void WorkQueue::account(std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  Unmarked& unmarked = unmarked_[stream_];
  Nanos const expected = time->expected(blocks);
  queued_ += expected;
  ++launches_;
  ++unmarked.launches;
  if (begin_ != nullptr) {
    Mark measured{.begin = std::exchange(begin_, nullptr), .measured = time, .blocks = blocks};
    // A launch with unknown time fills the queue: its measured time decides what may follow.
    if (expected == Nanos{0}) queued_ += max_queued;
    measured.queued = expected == Nanos{0} ? max_queued : expected;
    return mark(stream_, std::move(measured));
  }
  unmarked.expected += expected;
  if (unmarked.launches * quanta >= max_launches_ || unmarked.expected >= quantum) mark(stream_, {});
  if (launches_ >= max_launches_) mark_all(); // a few launches each, on many streams
}

// Marks the end of what was submitted to the stream since its last mark.
void WorkQueue::mark(CUstream stream, Mark mark) {
  Unmarked const unmarked = std::exchange(unmarked_[stream], {});
  mark.expected = unmarked.expected;
  mark.queued += unmarked.expected;
  mark.launches = unmarked.launches;
  mark.end = event();
  if (mark.end == nullptr || driver_.cuEventRecord(mark.end, stream) != CUDA_SUCCESS) {
    queued_ -= mark.queued; // the device has failed; the program's next call returns the error
    launches_ -= mark.launches;
    for (CUevent const event : {mark.begin, mark.end})
      if (event != nullptr) spare_.push_back(event);
    return;
  }
  marks_.push_back(std::move(mark));
}

void WorkQueue::collect() {
  while (!marks_.empty()) {
    CUresult const result = driver_.cuEventQuery(marks_.front().end);
    if (result == CUDA_ERROR_NOT_READY) return;
    if (result != CUDA_SUCCESS) return abandon();
    Mark const done = std::move(marks_.front());
    marks_.pop_front();
    queued_ -= done.queued;
    launches_ -= done.launches;
    finish(done);
  }
  say_if_empty();
}

void WorkQueue::say_executing() {
  if (std::exchange(executing_, true) || executing_since_ == nullptr) return;
  auto const now = std::chrono::steady_clock::now().time_since_epoch(); // CLOCK_MONOTONIC
  executing_since_->store(static_cast<std::uint64_t>(now.count()), std::memory_order_release);
}

void WorkQueue::say_if_empty() {
  bool const empty = marks_.empty() && std::ranges::all_of(unmarked_, [](auto const& each) {
                       return each.second.launches == 0;
                     });
  if (empty && std::exchange(executing_, false) && executing_since_ != nullptr)
    executing_since_->store(0, std::memory_order_release);
}

void WorkQueue::finish(Mark const& mark) {
  Nanos const end = time_of(mark.end);
  Nanos work = mark.expected;
  if (mark.begin != nullptr) {
    Nanos const took = std::max(end - time_of(mark.begin), Nanos{1});
    mark.measured->sample(mark.blocks, took);
    work += took;
    spare_.push_back(mark.begin);
  }
  busy_ += std::min(work, std::max(end - last_end_, Nanos{0}));
  last_end_ = std::max(last_end_, end);
  if (end - epoch_time_ < epoch_length) return spare_.push_back(mark.end);
  spare_.push_back(std::exchange(epoch_, mark.end));
  epoch_time_ = end;
}

Nanos WorkQueue::time_of(CUevent event) {
  float milliseconds = 0;
  if (driver_.cuEventElapsedTime(&milliseconds, epoch_, event) != CUDA_SUCCESS) return last_end_;
  return epoch_time_ +
         std::chrono::duration_cast<Nanos>(std::chrono::duration<double, std::milli>(milliseconds));
}

void WorkQueue::abandon() {
  for (Mark const& mark : marks_)
    for (CUevent const event : {mark.begin, mark.end})
      if (event != nullptr) spare_.push_back(event);
  marks_.clear();
  unmarked_.clear();
  queued_ = Nanos{0};
  launches_ = 0;
  say_if_empty();
}

// If the time slice ends within the time of a full queue, the running launch is the last one.
void WorkQueue::slice_lasts(Nanos left) {
  unsigned const most = left == Nanos::max() ? max_queued_alone : left > max_queued ? max_shared_ : 1;
  if (most < std::exchange(max_launches_, most)) mark_all(); // to see which of them are done
}

bool WorkQueue::full() const {
  return (queued_ >= max_queued || launches_ >= max_launches_) && !marks_.empty();
}

void WorkQueue::wait_a_little() const {
  if (queued_ < worth_a_sleep) return; // full of short launches: the caller checks again at once
  timespec const pause{0, 20'000};
  nanosleep(&pause, nullptr);
}

void WorkQueue::wait_for_room() {
  for (; full(); wait_a_little()) {
    collect();
    if (!full()) return;
  }
}

void WorkQueue::mark_all() {
  for (auto const& [stream, unmarked] : unmarked_)
    if (unmarked.launches > 0) mark(stream, {});
}

bool WorkQueue::empty() {
  mark_all();
  collect();
  return marks_.empty();
}

void WorkQueue::forget(CUstream stream) {
  if (auto const found = unmarked_.find(stream); found != unmarked_.end()) {
    if (found->second.launches > 0) mark(stream, {});
    unmarked_.erase(stream);
  }
}

} // namespace pegasus::cuda
