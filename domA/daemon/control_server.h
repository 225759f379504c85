// SPDX-License-Identifier: Apache-2.0
// Serves control.sock and status.sock: length-prefixed protobuf requests of control/control.proto, one at
// a time per connection.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/client_limits.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>

namespace pegasus::control {
class Request;
class Reply;
} // namespace pegasus::control

namespace pegasus::daemon {

class ControlHost {
public:
  virtual ~ControlHost() = default;
  // Calls `respond` once: now, or later on the same loop.
  using Respond = std::function<void(control::Reply const&)>;
  virtual void answer(control::Request const& request, Respond respond) = 0;
};

class ControlServer {
public:
  ControlServer(boost::asio::io_context& io, base::UniqueFd listener, ControlHost& host,
                ClientLimits::Limits const& limits);
  void stop();

private:
  void accept();
  void serve(boost::asio::local::stream_protocol::socket socket);

  boost::asio::local::stream_protocol::acceptor acceptor_;
  ControlHost& host_;
  std::shared_ptr<ClientLimits> clients_; // its connections may outlive this object in the loop
};

} // namespace pegasus::daemon
