// SPDX-License-Identifier: Apache-2.0
#include "ctl/failure.h"

#include "cli/printable.h"

namespace pegasus::ctl {
namespace {

FailureKind kind_of(control::ClientErrorKind kind) {
  switch (kind) {
  case control::ClientErrorKind::usage:
    return FailureKind::usage;
  case control::ClientErrorKind::absent:
    return FailureKind::absent;
  case control::ClientErrorKind::forbidden:
    return FailureKind::forbidden;
  case control::ClientErrorKind::silent:
    return FailureKind::silent;
  case control::ClientErrorKind::refused:
    return FailureKind::refused;
  case control::ClientErrorKind::broken:
    return FailureKind::broken;
  }
  return FailureKind::local;
}

} // namespace

Failure failure_of(control::ClientError const& error) {
  FailureKind const kind = kind_of(error.kind);
  std::string const remedy = kind == FailureKind::absent ? ", or name its directory with --daemon" : "";
  return {kind, cli::printable(error.message) + remedy};
}

} // namespace pegasus::ctl
