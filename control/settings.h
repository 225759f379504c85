// SPDX-License-Identifier: Apache-2.0
// A domain's settings, and one table of them: what each is called, what is valid, how people write it and how
// xenstore has it. `pegasusctl set`, xl's option `vaccel`, a device's nodes and pegasusd go by this table, so
// that a new setting is a member and a row (and, for xl, xen-patches/0003).
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
  double slo = 0;                            // part of an accelerator's time
  std::chrono::nanoseconds latency_slice{0}; // 0: the policy's own
  std::uint64_t host_memory = 0;             // of its workers together, in bytes; 0: pegasusd's default
  std::optional<std::uint32_t> accelerator = std::nullopt; // nullopt: any

  bool operator==(Settings const&) const = default;
};

// Where a setting is written.
enum class Syntax : std::uint8_t {
  tool, // pegasusctl: a size without a suffix is in bytes; 0 lifts a limit
  xl,   // xl.cfg: a size without a suffix is in megabytes; a limit that is not wanted is not written
};

// A whole number in a device's backend directory.
struct Node {
  std::string_view name;     // empty: the setting has none
  std::uint64_t least, most; // besides what stands for the default
  std::uint64_t (*get)(Settings const& settings);
  void (*set)(Settings& settings, std::uint64_t value);
};

struct Setting {
  std::string_view key;
  std::string_view placeholder;                                          // of its value, in help texts
  std::string_view valid;                                                // values, for pegasusctl
  std::string_view valid_in_xl;                                          // empty: xl has no such setting
  bool (*set)(Settings& settings, std::string_view text, Syntax syntax); // false: not valid
  Node node;
};

[[nodiscard]] std::span<const Setting> all_settings();

// "credits=N (a whole number from 1 to 65535), memory=SIZE (...), ...": what pegasusctl takes.
[[nodiscard]] std::string settings_help();

// Sets what `words` say, each "key=value", none twice; none if one is not valid. The error says what is.
[[nodiscard]] tl::expected<void, std::string> apply_settings(std::span<const std::string> words,
                                                             Settings& settings);

} // namespace pegasus::control
