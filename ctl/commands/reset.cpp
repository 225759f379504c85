// SPDX-License-Identifier: Apache-2.0
// pegasusctl reset: restarts the counters of `domains` from zero.
#include "ctl/commands/command.h"

namespace pegasus::ctl {
namespace {

Result<void> reset(CommandContext const& context) {
  control::Request request;
  request.mutable_reset_statistics();
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  return context.json ? print_json({{"reset", true}}) : print("counting from now on\n");
}

} // namespace

void add_reset_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command =
      app.add_subcommand("reset", "count shares, calls, latency and waits from now on; no share changes");
  command->callback([&context] { context.result = reset(context); });
}

} // namespace pegasus::ctl
