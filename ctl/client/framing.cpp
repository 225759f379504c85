// SPDX-License-Identifier: Apache-2.0
#include "ctl/client/framing.h"

#include <fmt/core.h>

namespace pegasus::ctl {

Result<std::string> frame(std::string_view body) {
  if (body.size() > message_max)
    return fail(FailureKind::usage,
                fmt::format("a request of {} bytes is more than the {} a daemon reads; use shorter names",
                            body.size(), message_max));
  std::string framed;
  framed.reserve(body.size() + LengthBytes{}.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    framed += static_cast<char>(body.size() >> shift & 0xff);
  framed += body;
  return framed;
}

Result<std::size_t> body_length(LengthBytes const& bytes) {
  std::size_t length = 0;
  for (unsigned i = 0; i < bytes.size(); ++i)
    length |= std::size_t{bytes[i]} << (8 * i);
  if (length > message_max)
    return fail(FailureKind::broken,
                fmt::format("what listens there announced an answer of {} bytes (at most {} are "
                            "allowed); is it a pegasusd of this release?",
                            length, message_max));
  return length;
}

} // namespace pegasus::ctl
