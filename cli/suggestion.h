// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who mistyped a word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pegasus::cli {

// How many letters must be added, left out, replaced or exchanged with the next one to make `one` of the other.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate that is nearest to `word`, or the only one that it begins; nullopt: none is near. Dashes in
// front count on neither side.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<std::string const> candidates);

// "; did you mean --policy?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<std::string const> candidates);

} // namespace pegasus::cli
