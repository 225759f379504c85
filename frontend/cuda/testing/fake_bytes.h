// SPDX-License-Identifier: Apache-2.0
// Requests and replies as the fake channel gets and gives them.
#pragma once

#include "frontend/channel/channel.h"

#include <cstring>

namespace pegasus::driver::testing {

template <class T> T decode(frontend::Bytes bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T> void encode(frontend::WritableBytes out, T const& value) {
  std::memcpy(out.data(), &value, sizeof value);
}

} // namespace pegasus::driver::testing
