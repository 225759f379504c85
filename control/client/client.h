// SPDX-License-Identifier: Apache-2.0
// One connection to a pegasusd: to control.sock, or to status.sock if that is sufficient. Each step has a
// time limit: a dead daemon cannot hang a tool.
#pragma once

#include "control/client/address.h"
#include "control/client/client_error.h"
#include "control/control.pb.h"

#include <chrono>
#include <memory>

namespace pegasus::control {

enum class Access { look, change }; // status.sock is only for `look`
[[nodiscard]] Access access_for(Request const& request);

class Client {
public:
  static constexpr std::chrono::milliseconds default_timeout{5000};

  // Access::look: uses status.sock if this user may not use control.sock.
  [[nodiscard]] static ClientResult<Client> connect(Address const& address, Access access = Access::change,
                                                    std::chrono::milliseconds timeout = default_timeout);
  // Connects to the first candidate where a daemon listens.
  [[nodiscard]] static ClientResult<Client> connect(Addresses const& addresses,
                                                    Access access = Access::change,
                                                    std::chrono::milliseconds timeout = default_timeout);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Sends the request and waits for the answer, which must hold `expected`. A refusal by the daemon is an
  // error of kind `usage`, `refused` or `forbidden` with the daemon's message. After any other error the
  // connection cannot be used any more.
  [[nodiscard]] ClientResult<Reply> ask(Request const& request, Reply::WhatCase expected);

  [[nodiscard]] Address const& address() const;

private:
  class Connection;
  explicit Client(std::unique_ptr<Connection> connection);
  static ClientResult<Client> connect_to(std::string const& socket, Address const& address,
                                         std::chrono::milliseconds timeout);
  std::unique_ptr<Connection> connection_;
};

} // namespace pegasus::control
