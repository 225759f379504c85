// SPDX-License-Identifier: Apache-2.0
// gpu_facts: what a GPU and its driver really cost, and whether a process may suspend its own channel groups.
// Uses the CUDA driver directly. A part that fails, crashes or hangs is reported, and the next one begins.
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pegasus::facts;
using Seconds = std::chrono::seconds;
using Clock = std::chrono::steady_clock;

namespace {

struct Part {
  std::string_view name;
  Seconds limit;
  void (*run)();
};

// The last ones may disturb the driver.
constexpr std::array parts{
    Part{"context", Seconds(40), context},
    Part{"launches", Seconds(30), launches},
    Part{"timing", Seconds(15), timing},
    Part{"copies", Seconds(20), copies},
    Part{"memory", Seconds(30), memory},
    Part{"kill", Seconds(30), kill},
    Part{"time-slices", Seconds(20), time_slices},
    Part{"suspend-kernel", Seconds(20), suspend_kernel},
    Part{"suspend-graph", Seconds(20), suspend_graph},
    Part{"suspend-machine-code", Seconds(20), suspend_machine_code},
    Part{"suspend-scheduling", Seconds(20), suspend_scheduling},
    Part{"suspend-scheduling-preempted", Seconds(20), suspend_scheduling_preempted},
    Part{"suspend-groups", Seconds(20), suspend_groups},
    Part{"suspend-groups-alone", Seconds(20), suspend_groups_alone},
    Part{"suspend-groups-listed", Seconds(20), suspend_groups_listed},
    Part{"suspend-groups-restarted", Seconds(20), suspend_groups_restarted},
    Part{"suspend-each-channel", Seconds(20), suspend_each_channel},
    Part{"suspend-by-time-slice", Seconds(20), suspend_by_time_slice},
    Part{"suspend-by-debugger", Seconds(20), suspend_by_debugger},
};

[[noreturn]] void child(Part const& part) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); // with its own children it is ended together
  begin_part(part.name);
  try {
    part.run();
  } catch (NotHere const& reason) {
    note(reason.what());
  } catch (std::exception const& error) {
    failed(error.what());
  }
  std::_Exit(0); // a driver's destructors may hang
}

// The status that waitpid() gives; nullopt if it did not end in time.
std::optional<int> wait_for(pid_t pid, Seconds limit) {
  for (auto const until = Clock::now() + limit; Clock::now() < until;
       std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
  }
  return std::nullopt;
}

void run(Part const& part) {
  auto const begin = Clock::now();
  pid_t const pid = fork();
  if (pid == 0) child(part);
  begin_part(part.name);
  if (pid < 0) return failed("no process for it");
  auto const status = wait_for(pid, part.limit);
  ::kill(-pid, SIGKILL); // what is left of it
  if (!status) {
    failed(fmt::format("did not end within {} s, and was killed", part.limit.count()));
    if (!wait_for(pid, Seconds(10))) failed("its process does not end");
  } else if (WIFSIGNALED(*status))
    failed(fmt::format("died by signal {} ({})", WTERMSIG(*status), strsignal(WTERMSIG(*status))));
  else if (WEXITSTATUS(*status) != 0)
    failed(fmt::format("ended with status {}: standard error says why", WEXITSTATUS(*status)));
  fact("took", std::chrono::duration<double>(Clock::now() - begin).count(), "s");
}

int usage() {
  fmt::print(
      stderr,
      "usage: gpu_facts [--parts | PART...]    --parts: only prints their names\nparts, in this order:\n");
  for (Part const& part : parts)
    fmt::print(stderr, "  {:<30}{} s at most\n", part.name, part.limit.count());
  return 2;
}

bool known(std::string_view name) {
  return std::ranges::any_of(parts, [name](Part const& part) { return part.name == name; });
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--parts") {
    for (Part const& part : parts)
      fmt::print("{}\n", part.name);
    return 0;
  }
  for (int i = 1; i < argc; ++i)
    if (!known(argv[i])) return usage();
  for (Part const& part : parts)
    if (argc == 1 || std::find(argv + 1, argv + argc, part.name) != argv + argc) run(part);
}
