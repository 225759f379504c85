// SPDX-License-Identifier: Apache-2.0
// Accepts guests on guest.sock, performs the handshake, and watches each connection for its hang-up.
#pragma once

#include "base/unique_fd.h"
#include "domA/guests/guest_link.h"
#include "domA/guests/local/identity.h"
#include "domA/guests/shared_memory.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::local {

class GuestConnection final : public guests::GuestLink, public std::enable_shared_from_this<GuestConnection> {
public:
  GuestConnection(boost::asio::io_context& io, base::UniqueFd socket, guests::GuestHost& host,
                  Identity const& identity, std::function<void()> done);
  void start();
  void refuse(guests::Rejection const& rejection); // tells the guest why, and hangs up
  tl::expected<guests::ChannelSource, std::string> make_channel(ring::Geometry const& geometry,
                                                                std::uint64_t host_window_bytes) override;
  tl::expected<pegasus_totals*, std::string> make_totals() override;
  void close(pegasus_close_reason reason) override;

private:
  void read_connect_request();
  void end_handshake();
  // With the files that were made for the guest.
  bool send_connect_reply(pegasus_connect_reply const& connect_reply);
  void watch(std::uint32_t task);
  void hang_up();

  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer patience_;
  guests::SharedMemory channel_; // one of the two is used
  guests::SharedMemory totals_;
  base::UniqueFd host_window_; // with the first
  guests::GuestHost& host_;
  Identity const& identity_;    // owned by the server
  guests::Agreement agreement_; // once the guest has sent its connect request
  std::function<void()> done_;  // called once, when the handshake has ended, with or without success
};

class GuestServer {
public:
  GuestServer(boost::asio::io_context& io, base::UniqueFd listener, guests::GuestHost& host,
              Identity identity);
  void stop();

private:
  void accept();
  void accept_one();
  void make_room();

  boost::asio::io_context& io_;
  boost::asio::posix::stream_descriptor listener_;
  boost::asio::steady_timer pause_;
  guests::GuestHost& host_;
  Identity identity_;
  std::list<std::weak_ptr<GuestConnection>> handshakes_; // the oldest is in front
};

} // namespace pegasus::local
