// SPDX-License-Identifier: Apache-2.0
// What the commands of pegasusctl share. Each command is one file: its options, its request, its two outputs.
#pragma once

#include "control/client/client.h"
#include "control/control.pb.h"
#include "ctl/failure.h"
#include "ctl/text/json.h"
#include "ctl/text/table.h"

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::ctl {

// The options that may stand before or after any command, and the result of the chosen command.
struct CommandContext {
  std::optional<std::string> daemon; // --daemon
  bool json = false;                 // --json
  Result<void> result;

  [[nodiscard]] Result<control::Client> connect(control::Access access) const;
  // For the commands that send one request.
  [[nodiscard]] Result<control::Reply> ask(control::Request const& request,
                                           control::Reply::WhatCase expected) const;
};

// --wide, for the commands that print a table.
[[nodiscard]] std::shared_ptr<bool> add_wide(CLI::App& command);
// What is shown of a table on standard output.
[[nodiscard]] Shown shown_here(bool wide);

// For the commands that look again and again over one connection.
[[nodiscard]] Result<control::Domains> ask_domains(control::Client& client);

// Prints to standard output. Fails if that cannot be written: with a full disk a script must not
// continue with half a document.
[[nodiscard]] Result<void> print(std::string_view text);
[[nodiscard]] Result<void> print_json(Json const& document);

void add_policies_command(CLI::App& app, CommandContext& context);
void add_policy_command(CLI::App& app, CommandContext& context);
void add_domains_command(CLI::App& app, CommandContext& context);
void add_set_command(CLI::App& app, CommandContext& context);
void add_remove_command(CLI::App& app, CommandContext& context);
void add_attach_command(CLI::App& app, CommandContext& context);
void add_detach_command(CLI::App& app, CommandContext& context);
void add_accelerators_command(CLI::App& app, CommandContext& context);
void add_top_command(CLI::App& app, CommandContext& context);
void add_log_command(CLI::App& app, CommandContext& context);
void add_record_command(CLI::App& app, CommandContext& context);
void add_describe_command(CLI::App& app, CommandContext& context);
void add_freeze_command(CLI::App& app, CommandContext& context);
void add_thaw_command(CLI::App& app, CommandContext& context);
void add_reset_command(CLI::App& app, CommandContext& context);
void add_version_command(CLI::App& app, CommandContext& context);

} // namespace pegasus::ctl
