// SPDX-License-Identifier: Apache-2.0
// Serves control.sock: length-prefixed protobuf requests of ctl/control.proto, one at a time per connection.
#pragma once

#include "domA/link/shared_memory.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace pegasus::control {
class Request;
class Reply;
} // namespace pegasus::control

namespace pegasus::daemon {

class ControlHost {
public:
  virtual ~ControlHost() = default;
  virtual void answer(control::Request const& request, control::Reply& reply) = 0;
};

class ControlServer {
public:
  ControlServer(boost::asio::io_context& io, link::UniqueFd listener, ControlHost& host);
  void stop();

private:
  void accept();

  boost::asio::local::stream_protocol::acceptor acceptor_;
  ControlHost& host_;
};

} // namespace pegasus::daemon
