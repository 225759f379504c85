// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/client_limits.h"

#include <algorithm>

namespace pegasus::daemon {

std::optional<ClientLimits::Connection> ClientLimits::admit(uid_t user, Clock::time_point now) {
  std::erase_if(users_, [now](auto const& entry) {
    return entry.second.connections == 0 && entry.second.next_reply <= now;
  });
  if (connections_ >= limits_.connections) return std::nullopt;
  User& client = users_[user];
  if (client.connections >= limits_.per_user) return std::nullopt;
  ++client.connections;
  ++connections_;
  return Connection(*this, user);
}

void ClientLimits::leave(uid_t user) {
  --users_.at(user).connections;
  --connections_;
}

std::chrono::nanoseconds ClientLimits::wait(uid_t user, Clock::time_point now) {
  Clock::time_point& next = users_.at(user).next_reply;
  Clock::time_point const when = std::max(now, next);
  next = when + limits_.reply_interval;
  return when - now;
}

} // namespace pegasus::daemon
