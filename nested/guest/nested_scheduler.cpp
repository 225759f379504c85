// SPDX-License-Identifier: Apache-2.0
// A guest's own scheduler: divides what the guest has of the accelerator among its programs, by weights. The
// host divides it among guests and knows nothing of this. An example of what totals are for; README.md.
#include "cli/command_line.h"
#include "cli/options.h"
#include "control/quantity.h"
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
  std::chrono::nanoseconds lag = std::chrono::milliseconds(2);
  bool show = false;
  std::map<std::string, double> weights; // by a program's name; others have 1
};

class NestedScheduler {
public:
  NestedScheduler(Options const& options, TotalsReader reader)
      : options_(options), reader_(reader), stopper_({.lag = options.lag}) {}

  // Until it is told to end. Returns false if pegasusd is gone.
  bool run() {
    auto const period = options_.lag / 2;
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

// False: it is not PROGRAM=WEIGHT.
bool set_weight(Options& options, std::string const& word) {
  auto const at = word.find('=');
  if (at == 0 || at == std::string::npos) return false;
  auto const weight = control::number(std::string_view(word).substr(at + 1), 0.001, 1000);
  if (weight) options.weights[word.substr(0, at)] = *weight;
  return weight.has_value();
}

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
  namespace cli = pegasus::cli;
  using namespace std::chrono_literals;
  pegasus::nested::Options options;
  CLI::App app("Divides this guest's part of the accelerator among its programs.", "nested-scheduler");
  cli::prepare(app);
  cli::add_time(app, "--lag", options.lag, "how far a program may be ahead of another, in device time", 100us,
                1s);
  app.add_flag("--show", options.show, "once a second, what each program had");
  std::vector<std::string> words;
  cli::add_texts(app, "weights PROGRAM=WEIGHT", words,
                 "PROGRAM as `ps` shows it; others have the weight 1; 0.001 to 1000");
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  for (std::string const& word : words)
    if (!pegasus::nested::set_weight(options, word))
      return cli::report(app,
                         {.what = "\"" + word + "\" is not PROGRAM=WEIGHT with a weight from 0.001 to 1000"});
  return pegasus::nested::run(options);
}
