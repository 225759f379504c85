// SPDX-License-Identifier: Apache-2.0
// Limits on one user of a socket that many users may use: connections, and answers per second. Without them a
// user could keep the others out, or pegasusd from scheduling. Pure: it is told the time.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace pegasus::daemon {

class ClientLimits {
public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    unsigned per_user;                       // connections
    unsigned connections;                    // of all users
    std::chrono::nanoseconds reply_interval; // of one user, on all its connections
  };

  // One connection. Must not outlive the ClientLimits.
  class Connection {
  public:
    Connection(Connection&& other) noexcept
        : host_(std::exchange(other.host_, nullptr)), user_(other.user_) {}
    Connection& operator=(Connection&&) = delete;
    ~Connection() {
      if (host_ != nullptr) host_->leave(user_);
    }
    // How long its next answer must wait. Counts that answer.
    [[nodiscard]] std::chrono::nanoseconds wait(Clock::time_point now) { return host_->wait(user_, now); }

  private:
    friend ClientLimits;
    Connection(ClientLimits& host, uid_t user) : host_(&host), user_(user) {}
    ClientLimits* host_;
    uid_t user_;
  };

  explicit ClientLimits(Limits limits) : limits_(limits) {}
  // Returns nullopt if the user, or all users together, have the maximum number of connections.
  [[nodiscard]] std::optional<Connection> admit(uid_t user, Clock::time_point now);

private:
  struct User {
    unsigned connections = 0;
    Clock::time_point next_reply{};
  };
  void leave(uid_t user);
  std::chrono::nanoseconds wait(uid_t user, Clock::time_point now);

  Limits limits_;
  unsigned connections_ = 0;
  std::map<uid_t, User> users_; // a user without connections is kept until its next answer is due
};

} // namespace pegasus::daemon
