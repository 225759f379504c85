// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pegasus::cli {

// The words with the separator between them.
inline std::string joined(std::vector<std::string> const& words, std::string_view separator = ", ") {
  std::string all;
  for (std::string const& word : words)
    all += (all.empty() ? "" : std::string(separator)) + word;
  return all;
}

} // namespace pegasus::cli
