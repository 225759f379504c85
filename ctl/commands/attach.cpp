// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/command.h"
#include "ctl/text/printable.h"

#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <memory>

namespace pegasus::ctl {
namespace {

constexpr std::size_t file_max = 1u << 19; // half of what a message holds

Result<void> attach(CommandContext const& context, std::string const& guest, std::string const& file) {
  control::Request request;
  request.mutable_attach()->set_guest(guest);
  if (!file.empty()) {
    std::ifstream in(file);
    if (!in) return fail(FailureKind::usage, fmt::format("cannot read {}", printable(file)));
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (text.size() > file_max)
      return fail(FailureKind::usage,
                  fmt::format("{} is too large for a guest's configuration", printable(file)));
    request.mutable_attach()->set_configuration(std::move(text));
  }
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  if (context.json) return print_json(Json{{"guest", guest}, {"done", true}});
  return {};
}

} // namespace

void add_attach_command(CLI::App& app, CommandContext& context) {
  struct Arguments {
    std::string guest, file;
  };
  CLI::App* const command =
      app.add_subcommand("attach", "give a guest of Xen an accelerator that the toolstack did not give it");
  auto const arguments = std::make_shared<Arguments>();
  command->add_option("GUEST", arguments->guest, "its name or domain id")->required();
  command->add_option("FILE", arguments->file,
                      "its configuration, with vaccel = [ \"credits=512,memory=64M\" ]");
  command->callback(
      [&context, arguments] { context.result = attach(context, arguments->guest, arguments->file); });
}

} // namespace pegasus::ctl
