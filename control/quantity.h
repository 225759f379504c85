// SPDX-License-Identifier: Apache-2.0
// Numbers, sizes and times as people write them: 512, 0.25, 64M, 2ms. Independent of the locale. Each gives
// nullopt for text that is something else, or that has something before or after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::control {

// Decimal digits alone, of a number in [least, most].
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t least,
                                                        std::uint64_t most);

// A finite decimal number in [least, most].
[[nodiscard]] std::optional<double> number(std::string_view text, double least, double most);

// Bytes. Digits with an optional suffix K, M, G or T (either case, also KiB, KB, ...), which are binary; no
// sign, no fraction. Without a suffix the number is of units of 1 << plain_shift bytes.
[[nodiscard]] std::optional<std::uint64_t> size(std::string_view text, unsigned plain_shift = 0);

// "2ms", "0.5s", "0": a time, not negative, with its unit s, ms, us or ns, to the nanosecond; 0 needs no
// unit.
[[nodiscard]] std::optional<std::chrono::nanoseconds> time(std::string_view text);

} // namespace pegasus::control
