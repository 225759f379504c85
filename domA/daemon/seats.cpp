// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/seats.h"

#include <fmt/core.h>

namespace pegasus::daemon {

std::optional<std::string> no_seat(SeatWish const& wish) {
  if (wish.tasks_of_domain >= SeatWish::per_domain)
    return fmt::format("domain {} has {} tasks already, the most of one domain: end one", wish.domain,
                       wish.tasks_of_domain);
  if (wish.tasks_of_user >= SeatWish::per_user)
    return fmt::format("user {} has {} tasks already, the most of one user: end one", wish.user,
                       wish.tasks_of_user);
  bool const has_its_own = wish.of_guest && wish.tasks_of_domain == 0;
  std::size_t const kept = has_its_own ? 0 : wish.guests_that_wait;
  if (wish.taken + kept < shared::seat_count) return std::nullopt;
  return fmt::format("there are {} tasks already, the most that are served{}: end one", wish.taken,
                     kept > 0 ? fmt::format(" ({} are kept for guests without a task)", kept) : "");
}

} // namespace pegasus::daemon
