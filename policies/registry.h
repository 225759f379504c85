// SPDX-License-Identifier: Apache-2.0
// The only table of policies. The daemon, the control tool, --help and the conformance suite iterate over it.
// It has the built-in policies, and those of plug-ins (plugin.h), which a program adds when it starts.
#pragma once

#include "policies/credits.h"
#include "policies/policy.h"
#include "policies/tunables.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace pegasus::policies {

// A policy's row of the table. A field that is left out promises nothing and asks for nothing.
struct Entry {
  std::string_view name = {};    // lower-case letters, digits and dashes
  std::string_view source = {};  // paper and section
  std::string_view summary = {}; // one line
  bool work_conserving = false;  // never idles while a domain has calls waiting (but for what `hold` asks)
  bool exclusive = false;        // at most one domain runs at a time
  bool accounts = false;         // keeps accounts, and takes over the debts under the previous policy
  bool reads_schedule = false;   // needs the CPU schedule in its View, or the CPU weights
  bool keeps_slos = false;       // by itself: no reservation is made for them
  bool guests_poll = false; // its guests are to poll for an answer without end, not to sleep after a while
  bool engaged = false;     // a call of its guests begins when the device has done all before it
  // With n domains of equal credits, a domain that has calls waits at most n * (wait_ticks
  // ticks + the longest kernel). nullopt: it promises no bound.
  std::optional<unsigned> wait_ticks = std::nullopt;
  // What it divides the device by: bars (domA/scheduler/back_off.h) go by it, too.
  Credits divides_by = accelerator_credits;
  std::span<Tunable const> tunables = {}; // what an operator may set of it (tunables.h)
  std::unique_ptr<Policy> (*make)(Tunables const&) = nullptr;
};

[[nodiscard]] std::span<Entry const> registry();
[[nodiscard]] Entry const* find(std::string_view name); // nullptr if unknown

// An entry that cannot join the table; the text says why.
struct InvalidEntry {
  std::string text;
};
inline constexpr std::size_t most_added = 16;
// Adds a policy that is not built in. For a program's start: before another thread reads the table. What the
// entry refers to must live as long as the program.
[[nodiscard]] std::variant<Entry const*, InvalidEntry> add(Entry const& entry);

// A policy and its settings.
struct Choice {
  Entry const* policy;
  Tunables tunables;
};
// A name or a value is invalid; the text lists what is available.
struct InvalidChoice {
  std::string text;
};
// Parses a policy as operators write it: its name, as in "fair", or also what is set of it, as in
// "fair:slice=6ms,interactive=500"; and further settings. Tunables that are not named are taken from `usual`.
[[nodiscard]] std::variant<Choice, InvalidChoice>
choose(std::string_view text, std::span<std::string const> settings, Tunables const& usual);

} // namespace pegasus::policies
