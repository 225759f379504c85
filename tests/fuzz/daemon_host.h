// SPDX-License-Identifier: Apache-2.0
// A pegasusd for fuzzers, on two accelerators of 1 GiB, with workers that execute nothing. It is made once: to start one
// takes longer than an input. After each input reset() makes it what it was.
#pragma once

#include "domA/daemon/daemon.h"

#include "control/control.pb.h"

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

namespace pegasus::fuzz {

class DaemonHost {
public:
  static constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 30; // of an accelerator
  static constexpr std::size_t accelerators = 2;

  static DaemonHost& get();

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] daemon::Daemon& daemon() { return *daemon_; }
  [[nodiscard]] std::string const& directory() const { return directory_; }

  // As an operator. The reply is one of control.proto: it has an error or what was asked for.
  control::Reply ask(control::Request const& request);
  [[nodiscard]] control::Domains domains();
  void run();       // what the loop has to do at once
  void end_tasks(); // waits until the workers that were killed have ended
  void reset();

private:
  DaemonHost();

  std::string directory_;
  boost::asio::io_context io_{1};
  std::unique_ptr<daemon::Daemon> daemon_;
};

} // namespace pegasus::fuzz
