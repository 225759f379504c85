// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/command.h"

#include "cli/terminal.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>

namespace pegasus::ctl {

Result<control::Client> CommandContext::connect(control::Access access) const {
  auto const addresses = control::find_addresses(daemon, [](char const* name) { return std::getenv(name); });
  return control::Client::connect(addresses, access).map_error(failure_of);
}

Result<control::Reply> CommandContext::ask(control::Request const& request,
                                           control::Reply::WhatCase expected) const {
  auto client = connect(control::access_for(request));
  if (!client) return tl::unexpected(client.error());
  return client->ask(request, expected).map_error(failure_of);
}

std::shared_ptr<bool> add_wide(CLI::App& command) {
  auto wide = std::make_shared<bool>(false);
  command.add_flag("--wide", *wide, "all columns, however narrow the terminal is");
  return wide;
}

Shown shown_here(bool wide) { return {.wide = wide, .columns = cli::terminal_columns()}; }

Result<control::Domains> ask_domains(control::Client& client) {
  control::Request request;
  request.mutable_domains();
  return client.ask(request, control::Reply::kDomains)
      .map([](control::Reply&& reply) { return std::move(*reply.mutable_domains()); })
      .map_error(failure_of);
}

Result<void> print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return fail(FailureKind::local, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return {};
}

Result<void> print_json(Json const& document) { return print(json_text(document) + '\n'); }

} // namespace pegasus::ctl
