// SPDX-License-Identifier: Apache-2.0
// Why pegasusd does not start, for its operator.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::daemon {

struct StartError {
  // pegasusd's exit status. systemd does not start it again after `configuration` (pegasusd.service).
  enum class Kind : int {
    machine = 1,      // the machine refuses now: another start may succeed
    configuration = 2 // what the options say has to change first
  };
  Kind kind;
  std::string message; // a sentence: what is wrong and what to do
};

inline tl::unexpected<StartError> machine_refuses(std::string message) {
  return tl::unexpected(StartError{StartError::Kind::machine, std::move(message)});
}
inline tl::unexpected<StartError> wrong_configuration(std::string message) {
  return tl::unexpected(StartError{StartError::Kind::configuration, std::move(message)});
}

} // namespace pegasus::daemon
