// SPDX-License-Identifier: Apache-2.0
// pegasusctl top: shows the domains repeatedly. On a terminal in place, with keys; elsewhere, or so many times, one table
// after another, or with --json one line after another.
#include "cli/options.h"
#include "control/quantity.h"
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"
#include "ctl/process/signal_watch.h"
#include "ctl/text/screen.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace pegasus::ctl {
namespace {

using std::chrono::steady_clock;

struct TopOptions {
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::uint32_t count = 0; // 0: until it is ended
  std::string sort{top_orders.front()};
  bool wide = false;
};

TopBy order_named(std::string const& name) {
  return static_cast<TopBy>(std::ranges::find(top_orders, name) - top_orders.begin());
}

// What is seen at a time, and what keys change of it.
struct Sight {
  control::Domains before, now;
  TopBy by;
  bool wide;
  bool help = false;

  void take(char key) { // other keys mean nothing
    switch (key) {
    case 's':
      by = static_cast<TopBy>((static_cast<std::size_t>(by) + 1) % top_orders.size());
      break;
    case 'w':
      wide = !wide;
      break;
    case 'h':
    case '?':
      help = !help;
      break;
    default:
      break;
    }
  }
  [[nodiscard]] std::string text(TopOptions const& options) const {
    Shown const shown = shown_here(wide);
    std::string const head =
        fmt::format("{:%H:%M:%S}   every {}   by {}   s: other order, w: all columns, h: help, q: end\n",
                    fmt::localtime(std::time(nullptr)), control::text_of_time(options.interval),
                    top_orders[static_cast<std::size_t>(by)]);
    constexpr std::string_view columns =
        "NOW is a domain's part of the device time since the last look, OVERALL since the start or the last "
        "reset, TARGET what its credits give it. P50 and P99 are of its calls' latency. A blank looks at "
        "once.\n";
    return line_beside(head, shown) + (help ? line_beside(columns, shown) : "") +
           top_table(before, now, shown, by);
  }
};

// Shows the same figures until the next look. Returns what ended it, or nothing to go on.
std::optional<Result<void>> show_until(steady_clock::time_point next, Sight& sight, TopOptions const& options,
                                       Screen& screen, SignalWatch& signals) {
  do {
    if (!screen.show(sight.text(options))) return print(""); // which fails
    auto const key = screen.key(next, signals.fd());
    if (auto const seen = signals.wait(std::chrono::milliseconds(0)))
      return tl::unexpected(Failure{.kind = FailureKind::signalled, .message = "", .signal = seen->number});
    if (key == 'q') return Result<void>();
    if (key == ' ') break;
    if (key) sight.take(*key);
  } while (steady_clock::now() < next);
  return std::nullopt;
}

Result<void> on_screen(control::Client& client, TopOptions const& options) {
  SignalWatch signals;
  Screen screen;
  Sight sight{.before = {}, .now = {}, .by = order_named(options.sort), .wide = options.wide};
  for (;;) {
    auto now = ask_domains(client);
    if (!now) return tl::unexpected(now.error());
    sight.before = std::exchange(sight.now, std::move(*now));
    if (auto const end = show_until(steady_clock::now() + options.interval, sight, options, screen, signals))
      return *end;
  }
}

Result<void> in_sequence(CommandContext const& context, control::Client& client, TopOptions const& options) {
  control::Domains before;
  for (std::uint32_t looks = 0; options.count == 0 || looks < options.count; ++looks) {
    if (looks > 0) std::this_thread::sleep_for(options.interval);
    auto now = ask_domains(client);
    if (!now) return tl::unexpected(now.error());
    auto const printed =
        context.json ? print(json_text(top_json(before, *now), -1) + '\n')
                     : print((looks > 0 ? "\n" : "") +
                             top_table(before, *now, shown_here(options.wide), order_named(options.sort)));
    if (!printed) return printed;
    before = std::move(*now);
  }
  return {};
}

Result<void> run_top(CommandContext const& context, TopOptions const& options) {
  auto client = context.connect(control::Access::look);
  if (!client) return tl::unexpected(client.error());
  return !context.json && Screen::possible() ? on_screen(*client, options)
                                             : in_sequence(context, *client, options);
}

} // namespace

void add_top_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("top", "watch the domains; --json: one line of JSON each time");
  auto const options = std::make_shared<TopOptions>();
  cli::add_time(*command, "-i,--interval", options->interval, "between two looks",
                std::chrono::milliseconds(50), std::chrono::hours(1));
  cli::add_number(*command, "-c,--count COUNT", options->count,
                  "how many looks, one below the other; 0: until it is ended, on a terminal with keys", 0,
                  std::numeric_limits<std::uint32_t>::max());
  cli::add_choice(*command, "-s,--sort", options->sort, {top_orders.begin(), top_orders.end()},
                  "the order of the domains; all but the name: the largest first");
  auto const wide = add_wide(*command);
  command->callback([&context, options, wide] {
    options->wide = *wide;
    context.result = run_top(context, *options);
  });
}

} // namespace pegasus::ctl
