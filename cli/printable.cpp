// SPDX-License-Identifier: Apache-2.0
#include "cli/printable.h"

#include <algorithm>

namespace pegasus::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

} // namespace

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    bool const c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    // A lone byte 0x80..0x9f is a control character to a terminal in an 8-bit locale.
    bool const lone =
        byte >= 0x80 && byte < 0xa0 && (safe.empty() || static_cast<unsigned char>(safe.back()) < 0x80);
    if (byte < 0x20 || byte == 0x7f || c1 || lone)
      safe += '?';
    else
      safe += text[i];
    if (c1) ++i;
  }
  return safe;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

} // namespace pegasus::cli
