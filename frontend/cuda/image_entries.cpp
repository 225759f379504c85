// SPDX-License-Identifier: Apache-2.0
// The kernels that PTX text defines, for cuModuleGetFunctionCount and similar calls, which the protocol has
// no call for.
#include "frontend/cuda/image.h"

#include "frontend/protocol/calls.h"

#include <cstring>
#include <string_view>

namespace pegasus::driver {
namespace {

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

// Skips a comment, a string or one character. PTX ISA 4.2: C and C++ comments, no nesting.
std::size_t skip(std::string_view text, std::size_t at) {
  auto const after = [&](std::string_view end, std::size_t from) {
    std::size_t const found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 2) == "//") return after("\n", at);
  if (text.substr(at, 2) == "/*") return after("*/", at + 2);
  if (text[at] == '"') return after("\"", at + 1);
  return at + 1;
}

// `.entry name ( parameters ) ... {` defines a kernel; with `;` instead of a body it only declares one.
void scan(std::string_view text, std::vector<std::string>& names) {
  constexpr std::string_view entry = ".entry";
  std::string pending;
  for (std::size_t at = 0; at < text.size();) {
    bool const found = text.substr(at, entry.size()) == entry && at + entry.size() < text.size() &&
                       !is_identifier(text[at + entry.size()]);
    if (found) {
      at = text.find_first_not_of(" \t\r\n", at + entry.size());
      if (at == std::string_view::npos) return;
      std::size_t const start = at;
      while (at < text.size() && is_identifier(text[at]))
        ++at;
      pending = text.substr(start, at - start);
      continue;
    }
    if (!pending.empty() && (text[at] == '{' || text[at] == ';')) {
      if (text[at] == '{') names.push_back(pending);
      pending.clear();
    }
    at = skip(text, at);
  }
}

bool is_text(std::span<std::byte const> bytes) {
  return !bytes.empty() && std::strchr("/. \t\r\n", std::to_integer<char>(bytes[0])) != nullptr;
}

bool scan_if_text(std::span<std::byte const> bytes, std::vector<std::string>& names) {
  if (!is_text(bytes)) return false;
  scan({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, names);
  return true;
}

} // namespace

bool list_entries(Image const& image, std::vector<std::string>& names) {
  if (image.kind == 1) return scan_if_text(image.bytes, names);
  pegasus_image_set header{};
  std::memcpy(&header, image.bytes.data(), sizeof header); // recognise() checked the numbers
  std::size_t at = sizeof header + std::size_t{header.parts} * 8;
  for (std::uint32_t i = 0; i < header.parts; ++i) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, image.bytes.data() + sizeof header + std::size_t{i} * 8, sizeof bytes);
    if (!scan_if_text(image.bytes.subspan(at, bytes), names)) return false;
    at += (bytes + 7) / 8 * 8;
  }
  return true;
}

} // namespace pegasus::driver
