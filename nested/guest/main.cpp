// SPDX-License-Identifier: Apache-2.0
// A guest's own scheduler. The host divides the accelerator among guests and knows nothing of this. An example of what
// totals are for; README.md.
#include "cli/command_line.h"
#include "cli/options.h"
#include "control/quantity.h"
#include "nested/guest/linux_processes.h"
#include "nested/guest/nested_scheduler.h"

#include <chrono>
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <thread>

namespace pegasus::nested {
namespace {

constexpr int no_daemon = 3;
constexpr std::chrono::seconds show_interval{1};

volatile std::sig_atomic_t told_to_end = 0;

struct Options {
  std::chrono::nanoseconds lag = std::chrono::milliseconds(2);
  bool show = false;
  NestedScheduler::Weights weights;
};

// What each program had of the guest's device time since the last line.
void show(NestedScheduler& scheduler) {
  for (NestedScheduler::Share const& each : scheduler.shares())
    std::printf("%-15s process %-7u weight %-5g %5.1f %%%s\n", each.program->name().c_str(),
                each.program->process(), each.weight, 100 * each.share,
                each.program->stopped() ? "  stopped" : "");
  std::printf("\n");
  std::fflush(stdout);
}

// Until it is told to end. Returns false if pegasusd is gone.
bool run(NestedScheduler& scheduler, Options const& options) {
  using Clock = std::chrono::steady_clock;
  auto const period = options.lag / 2;
  Clock::time_point shown_at{};
  for (auto next = Clock::now(); told_to_end == 0; next += period) {
    std::this_thread::sleep_until(next);
    if (!scheduler.look(Clock::now().time_since_epoch())) return false;
    if (!options.show || Clock::now() < shown_at + show_interval) continue;
    shown_at = Clock::now();
    show(scheduler);
  }
  return true;
}

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
  LinuxProcesses processes;
  NestedScheduler scheduler(
      {.lag = options.lag}, options.weights, *reader, processes,
      [](std::string const& problem) { std::fprintf(stderr, "%s\n", problem.c_str()); });
  if (run(scheduler, options)) return 0;
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
