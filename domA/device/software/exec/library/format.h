// SPDX-License-Identifier: Apache-2.0
// Device printf: the format and a buffer of arguments, both in device memory. The arguments are promoted and
// laid out as C's varargs (4- and 8-byte values, naturally aligned).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace pegasus::software {

// Copies device memory; returns false if it is not readable.
using ReadDevice = std::function<bool(std::uint64_t at, void* to, std::uint64_t bytes)>;

struct Formatted {
  std::string text;
  std::int32_t arguments = 0;    // the result of device printf: arguments used, -1 for a null format
  std::uint64_t bad_address = 0; // not 0: this address could not be read
};

[[nodiscard]] Formatted format_device_text(std::uint64_t format, std::uint64_t values, ReadDevice const&);

} // namespace pegasus::software
