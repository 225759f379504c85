// SPDX-License-Identifier: Apache-2.0
// Operators who wait for a task to describe itself: its worker is given the order, and its answer is passed on.
#pragma once

#include "control/holdings.pb.h"
#include "domA/daemon/accelerators.h"
#include "domA/daemon/domain.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

// What a worker wrote into its report, if its answer says so. It may still be writing there.
[[nodiscard]] tl::expected<control::Holdings, std::string> holdings_in(std::span<std::byte const> report,
                                                                       gate::Answer const& answer);

class Descriptions {
public:
  // Called once, on the loop of `io`. The error is a message.
  using Then = std::function<void(tl::expected<control::Holdings, std::string> const&)>;

  Descriptions(boost::asio::io_context& io, Accelerators& accelerators)
      : io_(io), accelerators_(accelerators) {}

  void ask(Task const& task, Then then);
  void answered(Task const& task, gate::Answer const& answer);
  void left(TaskId task);

private:
  struct Waiting {
    explicit Waiting(boost::asio::io_context& io) : timer(io) {}
    std::vector<Then> askers;
    boost::asio::steady_timer timer;
  };
  void end(TaskId task, tl::expected<control::Holdings, std::string> const& result);

  boost::asio::io_context& io_;
  Accelerators& accelerators_;
  std::map<TaskId, std::unique_ptr<Waiting>> waiting_;
};

} // namespace pegasus::daemon
