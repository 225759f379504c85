// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/guest_server.h"

#include "domA/guests/channel_page.h"
#include "domA/guests/local/peer_process.h"

#include <array>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace pegasus::local {
namespace {

using boost::asio::posix::descriptor_base;
using boost::system::error_code;

constexpr std::chrono::seconds hello_patience{5};
// Connections that have sent nothing yet. One more replaces the oldest: silent connections have a bounded
// cost and keep no guest out, because a guest says hello as soon as it is connected.
constexpr unsigned shaking_hands_max = 64;
constexpr std::chrono::milliseconds no_descriptor_pause{100};

} // namespace

GuestConnection::GuestConnection(boost::asio::io_context& io, guests::UniqueFd socket,
                                 guests::GuestHost& host, Identity const& identity,
                                 std::function<void()> done)
    : socket_(io, socket.release()), patience_(io, hello_patience), host_(host), identity_(identity),
      done_(std::move(done)) {}

void GuestConnection::start() {
  patience_.async_wait([self = shared_from_this()](error_code error) {
    if (!error) self->refuse({ETIMEDOUT, "no hello came within 5 seconds"});
  });
  socket_.async_wait(descriptor_base::wait_read, [self = shared_from_this()](error_code error) {
    if (!error && self->socket_.is_open()) self->read_hello();
  });
}

void GuestConnection::read_hello() {
  std::array<std::byte, sizeof(pegasus_hello) + 1> packet; // one more byte, to detect a longer packet
  ssize_t const length = recv(socket_.native_handle(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (length <= 0) return refuse({EPROTO, "the connection was closed before the hello"});
  auto const hello = guests::parse_hello(std::span(packet).first(static_cast<std::size_t>(length)));
  if (!hello) return refuse(hello.error());
  auto const peer = peer_of(socket_.native_handle());
  if (!peer) return refuse({EPERM, peer.error()});
  auto const domain = identity_.domain_of(socket_.native_handle(), *peer, hello->domain);
  if (!domain) return refuse(domain.error());
  auto const welcome = host_.admit(*domain, *hello, *peer, shared_from_this());
  if (!welcome) return refuse(welcome.error());
  end_handshake();
  if (send_welcome(*welcome, channel_.fd()))
    watch(welcome->task);
  else
    host_.guest_left(welcome->task);
}

tl::expected<guests::ChannelSource, std::string>
GuestConnection::make_channel(ring::Geometry const& geometry) {
  auto channel = guests::SharedMemory::create("pegasus-channel", geometry.total_bytes);
  if (!channel) return tl::unexpected(channel.error());
  channel_ = std::move(*channel);
  ring::initialize(channel_.data(), geometry);
  return guests::ChannelSource{.fd = channel_.fd()};
}

void GuestConnection::refuse(guests::Refusal const& refusal) {
  if (!done_) return; // already admitted or refused; the timer had just expired
  send_welcome(guests::make_refusal(refusal), -1);
  hang_up();
  end_handshake();
}

void GuestConnection::end_handshake() {
  patience_.cancel();
  std::exchange(done_, nullptr)();
}

bool GuestConnection::send_welcome(pegasus_welcome const& welcome, int channel_fd) {
  iovec part{const_cast<pegasus_welcome*>(&welcome), sizeof welcome};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (channel_fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &channel_fd, sizeof channel_fd);
  }
  return sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof welcome;
}

// A guest sends nothing after its hello: readable means that it has hung up.
void GuestConnection::watch(std::uint32_t task) {
  socket_.async_wait(descriptor_base::wait_read, [self = shared_from_this(), task](error_code error) {
    if (error != boost::asio::error::operation_aborted) // aborted: we closed it, so the host knows
      self->host_.guest_left(task);
  });
}

void GuestConnection::close(pegasus_close_reason reason) {
  if (channel_.data() != nullptr) guests::close_channel(channel_.as<pegasus_channel_header>(), reason);
  hang_up();
}

void GuestConnection::hang_up() {
  error_code ignored;
  socket_.close(ignored);
}

GuestServer::GuestServer(boost::asio::io_context& io, guests::UniqueFd listener, guests::GuestHost& host,
                         Identity identity)
    : io_(io), listener_(io, listener.release()), pause_(io), host_(host), identity_(std::move(identity)) {
  accept();
}

void GuestServer::stop() {
  error_code ignored;
  listener_.close(ignored);
  pause_.cancel();
}

void GuestServer::accept() {
  listener_.async_wait(descriptor_base::wait_read, [this](error_code error) {
    if (!error) accept_one();
  });
}

void GuestServer::accept_one() {
  auto later = [this] {
    pause_.expires_after(no_descriptor_pause);
    pause_.async_wait([this](error_code error) {
      if (!error) accept();
    });
  };
  guests::UniqueFd socket(accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.get() < 0) return errno == EAGAIN || errno == ECONNABORTED ? accept() : later();
  make_room();
  auto const place = shaking_hands_.emplace(shaking_hands_.end());
  auto const guest = std::make_shared<GuestConnection>(io_, std::move(socket), host_, identity_,
                                                       [this, place] { shaking_hands_.erase(place); });
  *place = guest;
  guest->start();
  accept();
}

void GuestServer::make_room() {
  if (shaking_hands_.size() < shaking_hands_max) return;
  if (auto const oldest = shaking_hands_.front().lock())
    oldest->refuse({EAGAIN, "too many connections say nothing and this one is the oldest: try again"});
}

} // namespace pegasus::local
