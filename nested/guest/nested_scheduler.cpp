// SPDX-License-Identifier: Apache-2.0
// A guest's own scheduler: divides what the guest has of the accelerator among its programs, by weights. The
// host divides it among guests and knows nothing of this. An example of what totals are for; README.md.
#include "nested/fair_stopper.h"
#include "nested/guest/program.h"
#include "nested/guest/totals_reader.h"

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

namespace pegasus::nested {
namespace {

constexpr int no_daemon = 3;
constexpr std::chrono::seconds show_interval{1};

volatile std::sig_atomic_t told_to_end = 0;

struct Options {
  double lag_ms = 2;
  bool show = false;
  std::map<std::string, double> weights; // by a program's name; others have 1
};

class NestedScheduler {
public:
  NestedScheduler(Options const& options, TotalsReader reader)
      : options_(options), reader_(reader),
        stopper_({.lag = std::chrono::nanoseconds(static_cast<std::int64_t>(options.lag_ms * 1e6))}) {}

  // Until it is told to end. Returns false if pegasusd is gone.
  bool run() {
    auto const period = std::chrono::nanoseconds(static_cast<std::int64_t>(options_.lag_ms * 1e6 / 2));
    for (auto next = std::chrono::steady_clock::now(); told_to_end == 0; next += period) {
      std::this_thread::sleep_until(next);
      auto const totals = reader_.read();
      if (!totals) return false;
      follow(*totals);
      stop_those_ahead(*totals);
      if (options_.show) show(*totals);
    }
    return true;
  }

private:
  void follow(std::vector<pegasus_task_total> const& totals) {
    std::erase_if(programs_, [&](auto const& known) {
      return std::ranges::none_of(totals, [&](pegasus_task_total const& task) {
        return task.task == known.first && task.process == known.second.process();
      });
    });
    for (pegasus_task_total const& task : totals)
      programs_.try_emplace(task.task, task.process);
  }

  void stop_those_ahead(std::vector<pegasus_task_total> const& totals) {
    std::vector<TaskUse> uses;
    for (pegasus_task_total const& task : totals)
      uses.push_back({.task = task.task,
                      .weight = weight_of(programs_.at(task.task)),
                      .device_time = std::chrono::nanoseconds(static_cast<std::int64_t>(task.device_ns)),
                      .calling = task.calling != 0});
    auto const stopped = stopper_.stop(uses, std::chrono::steady_clock::now().time_since_epoch());
    for (auto& [task, program] : programs_)
      program.set_stopped(std::ranges::binary_search(stopped, task));
  }

  [[nodiscard]] double weight_of(Program const& program) const {
    auto const found = options_.weights.find(program.name());
    return found == options_.weights.end() ? 1 : found->second;
  }

  // What each program had of the guest's device time since the last line.
  void show(std::vector<pegasus_task_total> const& totals) {
    auto const now = std::chrono::steady_clock::now();
    if (now < shown_at_ + show_interval) return;
    shown_at_ = now;
    std::map<std::uint32_t, std::uint64_t> used;
    std::uint64_t all = 0;
    for (pegasus_task_total const& task : totals) {
      std::uint64_t const before = std::exchange(shown_[task.task], task.device_ns);
      all += used[task.task] = task.device_ns - std::min(before, task.device_ns);
    }
    for (auto const& [task, program] : programs_)
      std::printf("%-15s process %-7u weight %-5g %5.1f %%%s\n", program.name().c_str(), program.process(),
                  weight_of(program),
                  all == 0 ? 0.0 : 100.0 * static_cast<double>(used[task]) / static_cast<double>(all),
                  program.stopped() ? "  stopped" : "");
    std::printf("\n");
    std::fflush(stdout);
  }

  Options const& options_;
  TotalsReader reader_;
  FairStopper stopper_;
  std::map<std::uint32_t, Program> programs_; // by task
  std::map<std::uint32_t, std::uint64_t> shown_;
  std::chrono::steady_clock::time_point shown_at_{};
};

int run(Options const& options) {
  frontend::TransportError error{};
  auto reader = TotalsReader::open(error);
  if (!reader) {
    std::fprintf(stderr, "nested-scheduler: %s\n", error.message);
    return no_daemon;
  }
  for (int const signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int) { told_to_end = 1; });
  if (NestedScheduler(options, *reader).run()) return 0;
  std::fprintf(stderr, "nested-scheduler: pegasusd hung up\n");
  return no_daemon;
}

} // namespace
} // namespace pegasus::nested

int main(int argc, char** argv) {
  pegasus::nested::Options options;
  CLI::App app("Divides this guest's part of the accelerator among its programs.", "nested-scheduler");
  app.add_option("--lag-ms", options.lag_ms,
                 "how far a program may be ahead of another, in ms of device time")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
  app.add_flag("--show", options.show, "once a second, what each program had");
  std::vector<std::string> weights;
  app.add_option("weights", weights, "PROGRAM=WEIGHT; PROGRAM as `ps` shows it, others have the weight 1");
  app.callback([&] {
    for (std::string const& text : weights) {
      auto const at = text.find('=');
      double weight = 0;
      if (at == 0 || at == std::string::npos || !CLI::detail::lexical_cast(text.substr(at + 1), weight) ||
          !(weight >= 0.001 && weight <= 1000))
        throw CLI::ValidationError(text, "is not PROGRAM=WEIGHT with a weight from 0.001 to 1000");
      options.weights[text.substr(0, at)] = weight;
    }
  });
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return pegasus::nested::run(options);
}
