// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/visible_devices.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace pegasus::driver {
namespace {

// As cuDeviceGetUuid's users print it: GPU-8-4-4-4-12 digits.
std::string text_of(std::span<unsigned char const> uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid[i] >> 4];
    text += digits[uuid[i] & 15];
  }
  return text;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

} // namespace

bool visible(std::string_view list, std::span<unsigned char const> uuid) {
  std::string_view entry = list.substr(0, list.find(','));
  constexpr std::string_view blanks = " \t\n";
  entry.remove_prefix(std::min(entry.find_first_not_of(blanks), entry.size()));
  entry = entry.substr(0, entry.find_last_not_of(blanks) + 1);
  if (entry.starts_with("GPU-")) {
    std::string const own = text_of(uuid);
    return entry.size() > 4 && entry.size() <= own.size() &&
           std::equal(entry.begin(), entry.end(), own.begin(), same_letter);
  }
  return !entry.empty() && entry.find_first_not_of('0') == std::string_view::npos;
}

} // namespace pegasus::driver
