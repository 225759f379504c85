// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pegasus::cli {
namespace {

// A longer word is no mistyped name, and would take long to compare.
constexpr std::size_t longest_word = 64;
// A word of which fewer letters are typed begins too many names.
constexpr std::size_t shortest_beginning = 3;

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

// One letter in three may be wrong, or one of two. A single letter is another one, not a mistyped one.
std::size_t still_near(std::string_view word) {
  return std::min(word.size() - 1, std::max<std::size_t>(1, word.size() / 3));
}

std::optional<std::string> only_one_begun(std::string_view word, std::span<std::string const> candidates) {
  if (word.size() < shortest_beginning) return std::nullopt;
  auto const begun = [word](std::string const& name) { return without_dashes(name).starts_with(word); };
  if (std::ranges::count_if(candidates, begun) != 1) return std::nullopt;
  return *std::ranges::find_if(candidates, begun);
}

} // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  // Rows of the table of distances between beginnings: the two before the current one are needed.
  std::vector<std::size_t> before_last, last(other.size() + 1), row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      std::size_t const replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last[other.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<std::string const> candidates) {
  std::string_view const typed = without_dashes(word);
  if (typed.empty() || typed.size() > longest_word) return std::nullopt;
  if (auto begun = only_one_begun(typed, candidates)) return begun;
  auto const distance_to = [typed](std::string const& name) {
    return edit_distance(typed, without_dashes(name));
  };
  auto const found = std::ranges::min_element(candidates, {}, distance_to);
  if (found == candidates.end() || distance_to(*found) > still_near(typed)) return std::nullopt;
  return *found;
}

std::string did_you_mean(std::string_view word, std::span<std::string const> candidates) {
  auto const meant = nearest(word, candidates);
  return meant ? "; did you mean " + *meant + "?" : "";
}

} // namespace pegasus::cli
