// SPDX-License-Identifier: Apache-2.0
// Why a pegasusd was not reached, or what it refused.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::control {

enum class ClientErrorKind : std::uint8_t {
  usage,     // an unknown name or a bad value, found by us or by the daemon
  absent,    // no daemon listens there
  forbidden, // a daemon may be there, but not for this user
  silent,    // it did not answer in time
  refused,   // it refused in its current state, or failed
  broken,    // its answer was not a message of control.proto
};

struct ClientError {
  ClientErrorKind kind;
  // A sentence for a person. It may have the daemon's own words in it, which are not safe for a terminal.
  std::string message;
};

template <class T> using ClientResult = tl::expected<T, ClientError>;

inline tl::unexpected<ClientError> client_error(ClientErrorKind kind, std::string message) {
  return tl::unexpected(ClientError{kind, std::move(message)});
}

} // namespace pegasus::control
