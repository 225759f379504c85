// SPDX-License-Identifier: Apache-2.0
// A domain's settings, and one table of them: name, valid values, the syntax for people and the node in
// xenstore. `pegasusctl set`, xl's option `vaccel`, a device's nodes and pegasusd use this table: a new
// setting is a member and a row (and, for xl, xen-patches/0002).
#pragma once

#include "policies/view.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::control {

struct Settings {
  std::uint32_t credits = policies::default_credits;
  std::uint64_t memory = 0;                  // of the device, in bytes; 0: no limit
  double slo = 0;                            // fraction of an accelerator's time
  double cap = 0;                            // at most this fraction; 0: no limit
  std::chrono::nanoseconds latency_slice{0}; // 0: the policy's own
  std::uint64_t host_memory = 0;             // of its workers together, in bytes; 0: pegasusd's default
  std::optional<std::uint32_t> accelerator = std::nullopt; // nullopt: any

  bool operator==(Settings const&) const = default;
};

// The syntax depends on where a setting is written.
enum class Syntax : std::uint8_t {
  tool, // pegasusctl: a size without a suffix is in bytes; 0 lifts a limit
  xl,   // xl.cfg: a size without a suffix is in megabytes; without a limit the setting is left out
};

// A whole number in a device's backend directory.
struct Node {
  std::string_view name;     // empty: the setting has no node
  std::uint64_t least, most; // limits, in addition to the default's value
  std::uint64_t (*get)(Settings const& settings);
  void (*set)(Settings& settings, std::uint64_t value);
  // What an operator set for others to rely on: without a valid value, nothing of the device is served.
  bool fails_closed = false;
};

struct Setting {
  std::string_view key;
  std::string_view value_name;                                           // of its value, in help texts
  std::string_view valid;                                                // valid values, for pegasusctl
  std::string_view valid_in_xl;                                          // empty: xl has no such setting
  bool (*set)(Settings& settings, std::string_view text, Syntax syntax); // false: not valid
  Node node;
};

[[nodiscard]] std::span<Setting const> all_settings();

// "credits=N (a whole number from 1 to 65535), memory=SIZE (...), ...": the settings that pegasusctl takes.
[[nodiscard]] std::string settings_help();

// Takes what has a node in xenstore from settings that were read there; what has none stays as it is.
void take_nodes(Settings const& from, Settings& to);

// Why the settings cannot hold together; nullopt if they can.
[[nodiscard]] std::optional<std::string> contradiction(Settings const& settings);

// Applies `words`, each "key=value", none twice; applies none if one is not valid, or contradicts the others or what
// is set already. The error says what is valid.
[[nodiscard]] tl::expected<void, std::string> apply_settings(std::span<std::string const> words,
                                                             Settings& settings);

} // namespace pegasus::control
