// SPDX-License-Identifier: Apache-2.0
// pegasusctl top: shows the domains repeatedly. On a terminal in place; elsewhere one table after another, or
// with --json one line after another.
#include "cli/options.h"
#include "ctl/commands/command.h"
#include "ctl/commands/views.h"

#include <chrono>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <thread>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

// Cursor home and erase to the end (ECMA-48 CUP and ED): no flicker, and the scrollback stays.
constexpr std::string_view in_place = "\x1b[H\x1b[J";

struct TopOptions {
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::uint32_t count = 0; // 0: until interrupted
  bool wide = false;
};

Result<void> run_top(CommandContext const& context, TopOptions const& options) {
  auto client = context.connect(Access::look);
  if (!client) return tl::unexpected(client.error());
  bool const terminal = !context.json && isatty(STDOUT_FILENO) == 1;
  control::Domains before;
  for (std::uint32_t shown = 0; options.count == 0 || shown < options.count; ++shown) {
    if (shown > 0) std::this_thread::sleep_for(options.interval);
    auto now = ask_domains(*client);
    if (!now) return tl::unexpected(now.error());
    Result<void> printed;
    if (context.json)
      printed = print(json_text(top_json(before, *now), -1) + '\n');
    else if (terminal)
      printed = print(std::string(in_place) + top_table(before, *now, shown_here(options.wide)));
    else
      printed = print((shown > 0 ? "\n" : "") + top_table(before, *now));
    if (!printed) return printed;
    before = std::move(*now);
  }
  return {};
}

} // namespace

void add_top_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("top", "watch the domains; --json: one line of JSON each time");
  auto const options = std::make_shared<TopOptions>();
  cli::add_time(*command, "-i,--interval", options->interval, "between two looks",
                std::chrono::milliseconds(50), std::chrono::hours(1));
  cli::add_number(*command, "-c,--count COUNT", options->count, "how many looks; 0: until interrupted", 0,
                  std::numeric_limits<std::uint32_t>::max());
  auto const wide = add_wide(*command);
  command->callback([&context, options, wide] {
    options->wide = *wide;
    context.result = run_top(context, *options);
  });
}

} // namespace pegasus::ctl
