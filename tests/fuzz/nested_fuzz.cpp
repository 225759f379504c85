// SPDX-License-Identifier: Apache-2.0
// Programs of a guest that connect and say which process they are, truly or not, call, use the device, end, and whose
// process numbers are used again, in any order, below a guest's own scheduler: it signals none but CUDA programs that a
// task names, one of which always runs; it keeps nothing of a task that has ended, and continues all of them. Two honest
// programs share by the rule of fair_stopper.h as long as no task names them falsely.
//
// Input: what is possible (8 bits), then steps: what and of which (8 bits each), then what the step needs.
#include "domA/guests/totals_page.h"
#include "nested/guest/nested_scheduler.h"
#include "nested/guest/testing/fake_processes.h"
#include "nested/guest/testing/totals_in_memory.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

namespace {

using namespace pegasus;
using namespace pegasus::nested;
using namespace std::chrono_literals;
using fuzz::require;

constexpr unsigned max_steps = 128;
constexpr std::uint32_t honest[] = {1, 2}; // processes, and their tasks
constexpr std::uint32_t others = 3;        // the first process of those that may be anything
constexpr std::uint32_t processes = 12;    // so few that numbers are used again
constexpr std::uint32_t max_tasks = 40;    // 20 of one process, say
constexpr unsigned max_copies = 64;        // while pegasusd writes
constexpr FairStopper::Settings settings{};
constexpr auto longest_use = 4ms; // between two looks
constexpr double rounding = 1e-6;

class Guest {
public:
  explicit Guest(fuzz::Input& input) : input_(input), truthful_(input.take<std::uint8_t>() % 2 == 0) {
    totals_.before_copy = [this] { return copy_begins(); };
    for (std::uint32_t const process : honest) {
      processes_.start(process);
      tasks_.push_back({.task = process, .process = process, .device_ns = 0, .calling = 1, .reserved = {}});
    }
    look();
  }

  void step() {
    auto const what = input_.take<std::uint8_t>();
    auto const which = input_.take<std::uint8_t>();
    std::uint32_t const process = others + which % (processes - others);
    switch (what % 12) {
    case 0:
    case 1:
      return connect(which);
    case 2:
      return disconnect(which);
    case 3:
      return void(processes_.start(process, any_name(), which / 16 % 4 != 0));
    case 4:
      return processes_.end(process);
    case 5:
    case 6:
      return use(which);
    case 7:
      if (auto* const task = one_of_the_others(which)) task->calling = input_.take<std::uint8_t>() % 2;
      return;
    case 8:
      writes_left_ = input_.take<std::uint8_t>() % max_copies;
      return;
    case 9:
      return check_shares();
    case 10:
      now_ += std::chrono::milliseconds(input_.take<std::uint8_t>() % 32);
      return look();
    default:
      return look();
    }
  }

  // Nothing stays stopped where no program has calls, or only one; and the scheduler leaves all of them running.
  void end() {
    for (pegasus_task_total& task : tasks_)
      task.calling = 0;
    for (std::size_t n = 0; n < 2 * tasks_.size() + 2; ++n) {
      now_ += settings.idle_after;
      look();
    }
    require_all_run();
    auto const only = std::ranges::find(tasks_, honest[0], &pegasus_task_total::task);
    only->calling = 1;
    truthful_ = false; // the other honest one has no calls
    for (unsigned n = 0; n < 4; ++n) {
      only->device_ns += static_cast<std::uint64_t>(std::chrono::nanoseconds(longest_use).count());
      require(scheduler_->look(now_ += 1ms));
      require_all_run();
    }
    std::erase_if(tasks_, [](auto const& task) { return !is_honest(task); });
    look();
    require(processes_.handles() == std::size(honest));
    scheduler_.reset();
    require(processes_.handles() == 0);
  }

  // Pages that no pegasusd writes, but for device times that no device has.
  void end_with_anything() {
    anything_ = true;
    auto const bytes = input_.take_bytes(sizeof totals_.pages);
    std::memcpy(&totals_.pages, bytes.data(), bytes.size());
    for (pegasus_task_total& task : totals_.pages.task)
      task.device_ns >>= 12;
    totals_.before_copy = [left = max_copies]() mutable { return left-- == 0; };
    (void)scheduler_->look(now_);
    require(processes_.handles() <= PEGASUS_TOTALS_TASKS && !processes_.signalled_others());
    (void)scheduler_->shares();
    scheduler_.reset();
    require(processes_.handles() == 0);
    require_all_run();
  }

private:
  [[nodiscard]] static bool is_honest(pegasus_task_total const& task) {
    return task.task == honest[0] || task.task == honest[1];
  }

  void require_all_run() const {
    for (auto const& [number, process] : processes_.all())
      require(!process->stopped);
  }

  // Of a process that is not there, or does not use CUDA, and when a task names it for the first time.
  void reports(std::string const& problem) {
    require(std::ranges::all_of(problem, [](char c) { return c >= 0x20 && c <= 0x7e; }));
    std::uint32_t number = 0;
    require(std::sscanf(problem.c_str(), "process %u", &number) == 1);
    auto const process = processes_.running(number);
    require(anything_ || ((!process || !process->cuda) && ++reports_ <= connected_));
  }

  std::string any_name() {
    auto const bytes = input_.take_bytes(input_.take<std::uint8_t>() % 16);
    return std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  }

  void connect(std::uint8_t which) {
    if (tasks_.size() >= max_tasks) return;
    ++connected_;
    std::uint32_t number = 0; // the lowest, as pegasusd takes it
    auto const is_taken = [&](pegasus_task_total const& task) { return task.task == number; };
    while (std::ranges::any_of(tasks_, is_taken) || number == honest[0] || number == honest[1])
      ++number;
    std::uint32_t process = which % (processes + 2); // of the last two there is none
    if (truthful_ && process < others) process = others;
    if (which == 255) process = input_.take<std::uint32_t>() | 0x80000000; // no process can have it
    pegasus_task_total const task{.task = number,
                                  .process = process,
                                  .device_ns = input_.take<std::uint16_t>(),
                                  .calling = 1,
                                  .reserved = {}};
    tasks_.insert(std::ranges::upper_bound(tasks_, number, {}, &pegasus_task_total::task), task);
  }

  pegasus_task_total* one_of_the_others(std::uint8_t which) {
    if (tasks_.size() == std::size(honest)) return nullptr;
    std::size_t const wanted = which % (tasks_.size() - std::size(honest));
    std::size_t n = 0;
    for (pegasus_task_total& task : tasks_)
      if (!is_honest(task) && n++ == wanted) return &task;
    return nullptr;
  }

  void disconnect(std::uint8_t which) {
    if (auto const* const task = one_of_the_others(which))
      tasks_.erase(tasks_.begin() + (task - tasks_.data()));
  }

  // The device executes calls of a task, which is charged. A program that is stopped makes none.
  void use(std::uint8_t which) {
    pegasus_task_total& task = tasks_[which % tasks_.size()];
    auto const process = processes_.running(task.process);
    if (process && process->stopped) return;
    auto const used = std::chrono::nanoseconds(input_.take<std::uint16_t>() * 32);
    if (unlooked_ + used > longest_use) return;
    unlooked_ += used;
    task.device_ns += static_cast<std::uint64_t>(used.count());
  }

  // pegasusd may be writing.
  bool copy_begins() {
    if (writes_left_ == 0) {
      page_.write(tasks_);
      return false;
    }
    --writes_left_;
    totals_.pages.tasks = ~totals_.pages.tasks; // what is there while it writes
    totals_.pages.sequence |= 1;
    return false;
  }

  void look() {
    now_ += 1ms;
    require(scheduler_->look(now_));
    unlooked_ = {};
    check();
  }

  void check() const {
    std::set<std::uint32_t> named, stopped;
    for (pegasus_task_total const& task : tasks_)
      named.insert(task.process);
    for (auto const& [number, process] : processes_.all())
      if (process->stopped) stopped.insert(number);
    require(std::ranges::includes(named, stopped));
    require(!processes_.signalled_others());
    require(processes_.handles() <= named.size());
    require(stopped.empty() || stopped.size() < named.size()); // one of them goes on
    if (!truthful_) return;
    auto const device_ns = [&](std::uint32_t number) {
      return static_cast<double>(std::ranges::find(tasks_, number, &pegasus_task_total::task)->device_ns);
    };
    double const apart = std::abs(device_ns(honest[0]) - device_ns(honest[1]));
    require(apart <= static_cast<double>(std::chrono::nanoseconds(settings.lag + longest_use).count()));
  }

  void check_shares() {
    double sum = 0;
    std::set<std::uint32_t> shown;
    for (NestedScheduler::Share const& each : scheduler_->shares()) {
      require(each.share >= 0 && each.share <= 1 + rounding && each.weight == 1);
      require(shown.insert(each.program->process()).second); // once
      require(std::ranges::all_of(each.program->name(), [](char c) { return c >= 0x20 && c <= 0x7e; }));
      sum += each.share;
    }
    require(sum == 0 || std::abs(sum - 1) <= rounding);
  }

  fuzz::Input& input_;
  bool truthful_; // no task names a process of the honest
  testing::FakeProcesses processes_;
  testing::TotalsInMemory totals_;
  guests::TotalsPage page_{totals_.pages};
  std::vector<pegasus_task_total> tasks_; // as pegasusd has them, by ascending number
  unsigned writes_left_ = 0;
  unsigned connected_ = 0, reports_ = 0; // tasks, and processes that were left alone
  bool anything_ = false;
  std::chrono::nanoseconds now_{0}, unlooked_{0};
  std::optional<NestedScheduler> scheduler_{
      std::in_place,         settings,   NestedScheduler::Weights{},
      TotalsReader(totals_), processes_, [this](std::string const& problem) { reports(problem); }};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  Guest guest(input);
  bool const anything = input.take<std::uint8_t>() % 8 == 7;
  for (unsigned n = 0; n < max_steps && !input.empty(); ++n) {
    if (anything && n == max_steps / 8) return guest.end_with_anything(), 0;
    guest.step();
  }
  guest.end();
  return 0;
}
