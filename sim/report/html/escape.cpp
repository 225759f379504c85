// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/escape.h"

#include <algorithm>
#include <vector>

namespace pegasus::sim::html {

std::string escaped(std::string_view text) {
  std::string safe;
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else if ((code < 0x20 && c != '\n') || code == 0x7f)
      safe += "\xef\xbf\xbd";
    else
      safe += c;
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::vector<std::size_t> begins; // of characters
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) begins.push_back(i);
  if (begins.size() <= characters) return std::string(text);
  std::size_t const head = characters / 2;
  std::size_t const tail = characters - head - 1;
  std::string_view const end = tail > 0 ? text.substr(begins[begins.size() - tail]) : "";
  return std::string(text.substr(0, begins[head])) + "\xe2\x80\xa6" + std::string(end);
}

std::string shell_word(std::string_view text) {
  static constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "_-./=:,+@%";
  if (!text.empty() && std::ranges::all_of(text, [](char c) { return plain.find(c) != plain.npos; }))
    return std::string(text);
  std::string quoted = "'";
  for (char const c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace pegasus::sim::html
