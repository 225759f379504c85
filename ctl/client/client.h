// SPDX-License-Identifier: Apache-2.0
// One connection to a pegasusd's control socket. Every step has a time limit: a dead daemon cannot hang a
// tool.
#pragma once

#include "ctl/client/address.h"
#include "ctl/control.pb.h"
#include "ctl/failure.h"

#include <chrono>
#include <memory>

namespace pegasus::ctl {

class Client {
public:
  static constexpr std::chrono::milliseconds default_timeout{5000};

  [[nodiscard]] static Result<Client> connect(Address const& address,
                                              std::chrono::milliseconds timeout = default_timeout);
  // The first of the candidates where a daemon listens.
  [[nodiscard]] static Result<Client> connect(Addresses const& addresses,
                                              std::chrono::milliseconds timeout = default_timeout);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Asks and waits for the answer, which holds `expected`. The daemon's refusal is a failure of kind `usage`
  // with the daemon's words. After any other failure the connection is of no more use.
  [[nodiscard]] Result<control::Reply> ask(control::Request const& request,
                                           control::Reply::WhatCase expected);

  [[nodiscard]] Address const& address() const;

private:
  class Connection;
  explicit Client(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

} // namespace pegasus::ctl
