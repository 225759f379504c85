// SPDX-License-Identifier: Apache-2.0
// Numbers, sizes and times as people write them: 512, 0.25, 64M, 2ms. Independent of the locale. The functions
// that read return nullopt if the text is something else, or has anything before or after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::control {

// Only decimal digits, for a number in [least, most].
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t least,
                                                        std::uint64_t most);

// A finite decimal number in [least, most].
[[nodiscard]] std::optional<double> number(std::string_view text, double least, double most);

// Bytes. Digits with an optional suffix K, M, G or T (either case, also KiB, KB, ...), which are binary; no
// sign, no fraction. Without a suffix the unit is 1 << plain_shift bytes.
[[nodiscard]] std::optional<std::uint64_t> size(std::string_view text, unsigned plain_shift = 0);

// "2ms", "0.5s", "0": a non-negative time with its unit s, ms, us or ns, rounded to the
// nanosecond; 0 needs no unit.
[[nodiscard]] std::optional<std::chrono::nanoseconds> time(std::string_view text);

// As size() and time() read them, to the same value: "64M", "812"; "2.5ms", "0". In the largest unit in which a size is
// whole and a time at least 1.
[[nodiscard]] std::string text_of_size(std::uint64_t bytes);
[[nodiscard]] std::string text_of_time(std::chrono::nanoseconds time);

// "1 task", "2 tasks".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

} // namespace pegasus::control
