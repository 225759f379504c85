// SPDX-License-Identifier: Apache-2.0
#include "control/framing.h"

namespace pegasus::control {

std::optional<std::string> frame(std::string_view body) {
  if (body.size() > max_message) return std::nullopt;
  std::string framed;
  framed.reserve(body.size() + LengthBytes{}.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    framed += static_cast<char>(body.size() >> shift & 0xff);
  framed += body;
  return framed;
}

std::size_t body_length(LengthBytes const& bytes) {
  std::size_t length = 0;
  for (unsigned i = 0; i < bytes.size(); ++i)
    length |= std::size_t{bytes[i]} << (8 * i);
  return length;
}

} // namespace pegasus::control
