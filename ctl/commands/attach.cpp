// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"
#include "cli/printable.h"
#include "ctl/commands/command.h"
#include "ctl/commands/set.h"

#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace pegasus::ctl {
namespace {

constexpr std::size_t max_file = 1u << 19; // half of what a message holds

Result<std::string> text_of(std::string const& file) {
  std::ifstream in(file);
  in.peek(); // an iterator would throw if it is a directory
  if (!in.is_open() || in.bad())
    return fail(FailureKind::usage, fmt::format("cannot read {}", cli::printable(file)));
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text.size() > max_file)
    return fail(FailureKind::usage,
                fmt::format("{} is too large for a guest's configuration", cli::printable(file)));
  if (text.empty()) return fail(FailureKind::usage, fmt::format("{} is empty", cli::printable(file)));
  return text;
}

Result<void> done(CommandContext const& context, control::Request const& request, std::string const& guest) {
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  if (context.json) return print_json(Json{{"guest", guest}, {"done", true}});
  return {};
}

// `words`: settings, and at most one that is none: the file.
Result<void> attach(CommandContext const& context, std::string const& guest,
                    std::vector<std::string> const& words) {
  control::Request request;
  control::Attach& attach = *request.mutable_attach();
  attach.set_guest(guest);
  std::vector<std::string> settings;
  for (std::string const& word : words) {
    if (word.find('=') != std::string::npos) {
      settings.push_back(word);
      continue;
    }
    if (!attach.configuration().empty())
      return fail(FailureKind::usage,
                  fmt::format("\"{}\" is a second configuration: give one, and settings as key=value",
                              cli::printable(word)));
    auto text = text_of(word);
    if (!text) return tl::unexpected(text.error());
    attach.set_configuration(std::move(*text));
  }
  if (!settings.empty())
    if (auto checked = check_settings(settings); !checked) return checked;
  attach.mutable_setting()->Add(settings.begin(), settings.end());
  return done(context, request, guest);
}

} // namespace

void add_attach_command(CLI::App& app, CommandContext& context) {
  struct Arguments {
    std::string guest;
    std::vector<std::string> words;
  };
  CLI::App* const command =
      app.add_subcommand("attach", "give a guest of Xen an accelerator that the toolstack did not give it");
  auto const arguments = std::make_shared<Arguments>();
  cli::add_text(*command, "GUEST", arguments->guest, "its name or domain id")->required();
  cli::add_texts(*command, "FILE|SETTING", arguments->words,
                 "its configuration, with vaccel = [ \"credits=512,memory=64M\" ], or settings as "
                 "`pegasusctl set` takes them, which go before it");
  command->callback(
      [&context, arguments] { context.result = attach(context, arguments->guest, arguments->words); });
}

void add_detach_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand(
      "detach", "take away what attach gave a guest of Xen; its programs lose their accelerator");
  auto const guest = std::make_shared<std::string>();
  cli::add_text(*command, "GUEST", *guest, "its name or domain id")->required();
  command->callback([&context, guest] {
    control::Request request;
    request.mutable_detach()->set_guest(*guest);
    context.result = done(context, request, *guest);
  });
}

} // namespace pegasus::ctl
