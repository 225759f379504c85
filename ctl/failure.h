// SPDX-License-Identifier: Apache-2.0
// What went wrong in a control tool: a sentence for the user at the terminal, and the exit status.
#pragma once

#include "control/client/client_error.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::ctl {

// Those of a client of pegasusd, and two of our own.
enum class FailureKind : std::uint8_t {
  usage = static_cast<std::uint8_t>(control::ClientErrorKind::usage),
  absent = static_cast<std::uint8_t>(control::ClientErrorKind::absent),
  forbidden = static_cast<std::uint8_t>(control::ClientErrorKind::forbidden),
  silent = static_cast<std::uint8_t>(control::ClientErrorKind::silent),
  refused = static_cast<std::uint8_t>(control::ClientErrorKind::refused),
  broken = static_cast<std::uint8_t>(control::ClientErrorKind::broken),
  local = 100, // a failure on our side
  signalled,   // a signal asked us to end: the caller ends by the same signal
};

struct Failure {
  FailureKind kind = FailureKind::local;
  std::string message;
  int signal = 0; // of `signalled`

  [[nodiscard]] int exit_status() const {
    switch (kind) {
    case FailureKind::usage:
      return 2;
    case FailureKind::absent:
    case FailureKind::forbidden:
    case FailureKind::silent:
    case FailureKind::broken:
      return 3;
    case FailureKind::refused:
      return 4;
    case FailureKind::local:
      return 1;
    case FailureKind::signalled:
      return 128 + signal;
    }
    return 1;
  }
};

template <class T> using Result = tl::expected<T, Failure>;

// What a client's error means at the terminal.
[[nodiscard]] Failure failure_of(control::ClientError const& error);

inline tl::unexpected<Failure> fail(FailureKind kind, std::string message) {
  return tl::unexpected(Failure{kind, std::move(message)});
}

} // namespace pegasus::ctl
