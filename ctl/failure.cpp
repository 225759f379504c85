// SPDX-License-Identifier: Apache-2.0
#include "ctl/failure.h"

#include "cli/printable.h"

namespace pegasus::ctl {

Failure failure_of(control::ClientError const& error) {
  auto const kind = static_cast<FailureKind>(error.kind); // the same numbers
  std::string const remedy = kind == FailureKind::absent ? ", or name its directory with --daemon" : "";
  return {kind, cli::printable(error.message) + remedy};
}

} // namespace pegasus::ctl
