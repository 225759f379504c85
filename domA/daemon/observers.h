// SPDX-License-Identifier: Apache-2.0
// Guests that read the totals of their own tasks (frontend/protocol/totals.h): admitted, counted, let go.
#pragma once

#include "domA/daemon/accelerators.h"
#include "domA/daemon/domain.h"
#include "domA/daemon/rate_limited_log.h"
#include "domA/guests/guest_link.h"

#include <map>
#include <memory>

namespace pegasus::daemon {

class Observers {
public:
  // Both must outlive it.
  Observers(Accelerators& accelerators, RateLimitedLog& log) : accelerators_(accelerators), log_(log) {}

  // The reply's `task` is the observer's number, which no task has.
  [[nodiscard]] tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(Domain& domain, guests::Peer const& peer, std::shared_ptr<guests::GuestLink> link);
  [[nodiscard]] bool has(std::uint32_t number) const { return all_.contains(number); }
  // It has left, or is to leave. Returns the domain that it observed.
  Domain& end(std::uint32_t number, pegasus_close_reason reason);
  void end_all_of(Domain const& domain);
  void stop();

private:
  // All tasks of a guest may be served by one, so a few are enough.
  static constexpr std::size_t max_of_domain = 4;
  static constexpr std::size_t max_of_user = 16;

  struct Observer {
    Domain* domain;
    uid_t user;
    std::shared_ptr<guests::GuestLink> link;
  };

  Accelerators& accelerators_;
  RateLimitedLog& log_;
  std::map<std::uint32_t, Observer> all_;
  std::uint32_t next_ = shared::slot_count; // tasks have the numbers below
};

} // namespace pegasus::daemon
