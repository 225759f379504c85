// SPDX-License-Identifier: Apache-2.0
// Device printf: the format and a buffer of arguments, promoted and laid out as C's varargs (4- and 8-byte
// values, naturally aligned), both in device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace pegasus::software {

// Copies device memory; false: not readable.
using ReadDevice = std::function<bool(std::uint64_t at, void* to, std::uint64_t bytes)>;

struct Formatted {
  std::string text;
  std::int32_t arguments = 0;    // what device printf returns: arguments used, -1 for a null format
  std::uint64_t bad_address = 0; // not 0: this could not be read
};

[[nodiscard]] Formatted format_device_text(std::uint64_t format, std::uint64_t values, ReadDevice const&);

} // namespace pegasus::software
