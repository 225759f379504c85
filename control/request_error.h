// SPDX-License-Identifier: Apache-2.0
// Why a request of control.proto cannot be carried out, for the person who sent it.
#pragma once

#include "control/control.pb.h"

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::control {

struct RequestError {
  ErrorKind kind;
  std::string message; // a sentence: what is valid, or what to do
};
using RequestOutcome = tl::expected<void, RequestError>;

inline tl::unexpected<RequestError> bad_request(std::string message) {
  return tl::unexpected(RequestError{BAD_REQUEST, std::move(message)});
}
inline tl::unexpected<RequestError> not_as_things_are(std::string message) {
  return tl::unexpected(RequestError{NOT_NOW, std::move(message)});
}
inline tl::unexpected<RequestError> could_not(std::string message) {
  return tl::unexpected(RequestError{FAILED, std::move(message)});
}

inline void put(RequestError const& error, Reply& reply) {
  reply.set_error(error.message);
  reply.set_error_kind(error.kind);
}

} // namespace pegasus::control
