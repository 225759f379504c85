// SPDX-License-Identifier: Apache-2.0
// Operators freeze a domain: its programs wait at their next call, and what they have in their accelerator's memory goes
// to host memory, so that others may have the room. Thawed, it comes back and they go on.
#pragma once

#include "control/request_error.h"
#include "domA/daemon/domain_table.h"
#include "domA/daemon/sessions.h"

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::daemon {

class Freezer {
public:
  // What an operator should know of what was done.
  using Outcome = tl::expected<std::string, control::RequestError>;
  // Called once, on the loop of `io`.
  using Then = std::function<void(Outcome const&)>;

  Freezer(boost::asio::io_context& io, DomainTable& domains, Sessions& sessions)
      : io_(io), domains_(domains), sessions_(sessions) {}

  void freeze(Domain& domain, Then then);
  void thaw(Domain& domain, Then then);

private:
  struct Moved; // what became of the orders to a domain's tasks
  void move(Domain const& domain, gate::OrderKind kind, std::function<void(Moved const&)> then);
  void set(Domain& domain, bool frozen);
  [[nodiscard]] Domain* find(DomainId id);
  [[nodiscard]] Outcome thawed(DomainId id, std::uint32_t request, Moved const& moved);

  boost::asio::io_context& io_;
  DomainTable& domains_;
  Sessions& sessions_;
};

} // namespace pegasus::daemon
