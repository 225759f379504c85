// SPDX-License-Identifier: Apache-2.0
// Sizes and other values as people write them: 64M, 1G, plain bytes; 2ms, 500us. K, M, G and T are binary.
#pragma once

#include "ctl/failure.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pegasus::ctl {

// Bytes. Accepts digits with an optional suffix K, M, G or T (either case, also KiB, KB, ...); no sign, no
// fraction.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);

// A whole number in [low, high]; `what` names it in the error.
[[nodiscard]] Result<std::uint64_t> parse_whole(std::string_view what, std::string_view text,
                                                std::uint64_t low, std::uint64_t high);

// A finite decimal number in [low, high], independent of the locale.
[[nodiscard]] Result<double> parse_number(std::string_view what, std::string_view text, double low,
                                          double high);

// "2ms", "0.5s", "0": a time, not negative, with its unit s, ms, us or ns, to the nanosecond; 0 needs no
// unit.
[[nodiscard]] Result<std::chrono::nanoseconds> parse_time(std::string_view what, std::string_view text);

// "64M", "1.5G", "812" : for tables.
[[nodiscard]] std::string format_size(std::uint64_t bytes);

} // namespace pegasus::ctl
