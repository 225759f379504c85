// SPDX-License-Identifier: Apache-2.0
// pegasusctl version: the version of this tool and that of the daemon.
#include "cli/printable.h"
#include "ctl/commands/command.h"

#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {
namespace {

Result<void> show_version(CommandContext const& context, bool host) {
  control::Request request;
  request.mutable_version();
  auto const reply = context.ask(request, control::Reply::kVersion);
  if (!reply) {
    // Our own version is most useful when the daemon does not answer; a JSON reader gets one document.
    if (auto printed = context.json ? Result<void>{} : print(fmt::format("pegasusctl {}\n", PEGASUS_VERSION));
        !printed)
      return printed;
    return tl::unexpected(reply.error());
  }
  control::Version const& daemon = reply->version();
  if (context.json)
    return print_json(Json{{"pegasusctl", PEGASUS_VERSION},
                           {"pegasusd",
                            {{"version", daemon.version()},
                             {"protocol", daemon.protocol()},
                             {"pid", daemon.pid()},
                             {"workers_lack", daemon.workers_lack()},
                             {"domains_by", daemon.domains_by()}}}});
  std::string text = fmt::format("pegasusctl {}\npegasusd {} (protocol {}, process {})\n", PEGASUS_VERSION,
                                 cli::printable(daemon.version()), daemon.protocol(), daemon.pid());
  if (host) {
    text += daemon.workers_lack().empty()
                ? "this machine: workers are separated in every way\n"
                : fmt::format("this machine: {}\n", cli::printable(daemon.workers_lack()));
    text += fmt::format("domains of local programs: {}\n", cli::printable(daemon.domains_by()));
  }
  return print(text);
}

} // namespace

void add_version_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand("version", "show the versions of this tool and of the daemon");
  auto const host = std::make_shared<bool>(false);
  command->add_flag("--host", *host,
                    "and what this machine does not let pegasusd separate workers by, and what decides "
                    "which domain a local program is in");
  command->callback([&context, host] { context.result = show_version(context, *host); });
}

} // namespace pegasus::ctl
