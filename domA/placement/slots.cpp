// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/slots.h"

#include <fmt/core.h>

namespace pegasus::placement {

std::optional<std::string> no_slot(SlotRequest const& request) {
  if (request.tasks_of_domain >= SlotRequest::per_domain)
    return fmt::format("domain {} has {} tasks, the limit per domain: end one", request.domain,
                       request.tasks_of_domain);
  if (request.names_itself && request.tasks_of_user >= SlotRequest::per_user)
    return fmt::format("user {} has {} tasks, the limit per user: end one", request.user,
                       request.tasks_of_user);
  bool const first = (request.names_itself ? request.tasks_of_user : request.tasks_of_domain) == 0;
  if (!first && request.taken >= shared::slot_count - SlotRequest::for_first_tasks)
    return fmt::format("there are {} tasks; the last {} are kept for {} without a task: end one",
                       request.taken, SlotRequest::for_first_tasks,
                       request.names_itself ? "users" : "domains");
  bool const has_its_own = request.of_guest && request.tasks_of_domain == 0;
  std::size_t const kept = has_its_own ? 0 : request.guests_that_wait;
  if (request.taken + kept < shared::slot_count) return std::nullopt;
  return fmt::format("there are {} tasks, the limit of one pegasusd{}: end one", request.taken,
                     kept > 0 ? fmt::format(" ({} are kept for guests without a task)", kept) : "");
}

} // namespace pegasus::placement
