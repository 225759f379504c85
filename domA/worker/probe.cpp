// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/probe.h"

#include "domA/worker/kinds.h"

#include <unistd.h>

namespace pegasus::worker {

int probe(char const* kind, Wanted const& wanted) {
  int const answer = dup(STDOUT_FILENO); // a driver may print
  dup2(STDERR_FILENO, STDOUT_FILENO);
  auto const number = device::kind_named(kind);
  if (!number) return Exit::not_started;
  Probed result{};
  if (auto const found = kind_of_worker(*number)->probe(wanted, result); !found)
    found.error().copy(result.error, sizeof result.error - 1);
  return write(answer, &result, sizeof result) == sizeof result ? 0 : Exit::not_started;
}

} // namespace pegasus::worker
