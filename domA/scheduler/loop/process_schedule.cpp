// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/process_schedule.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pegasus::scheduler {

namespace {

// Calls `see` with the directory of each thread until it returns false.
template <class See> void each_thread(pid_t process, See see) {
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", error), end;
       !error && thread != end; thread.increment(error))
    if (!see(thread->path())) return;
}

// The state letter follows the program's name, which is in brackets and may contain any character.
bool runs(std::filesystem::path const& thread) {
  std::ifstream file(thread / "stat");
  std::string text;
  std::getline(file, text, '\0'); // an iterator would throw if the thread ends meanwhile
  auto const name_end = text.rfind(')');
  return name_end != std::string::npos && text.size() > name_end + 2 && text[name_end + 2] == 'R';
}

Nanos cpu_time(pid_t process) {
  std::int64_t total = 0;
  each_thread(process, [&total](std::filesystem::path const& thread) {
    std::int64_t on_cpu = 0;
    std::ifstream(thread / "schedstat") >> on_cpu;
    total += on_cpu;
    return true;
  });
  return Nanos(total);
}

} // namespace

bool ProcessSchedule::running(pid_t process) {
  bool any = false;
  each_thread(process, [&any](std::filesystem::path const& thread) { return !(any = runs(thread)); });
  return any;
}

Nanos ProcessSchedule::credit_left(pid_t process, Time now) {
  monitor::CreditWindow& window = windows_[process];
  if (window.due(now)) window.learn(cpu_time(process), now);
  return window.left();
}

} // namespace pegasus::scheduler
