// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/guest_server.h"

#include "base/unique_fd.h"
#include "domA/guests/channel_page.h"
#include "domA/guests/local/peer_process.h"
#include "domA/guests/totals_page.h"

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

constexpr std::chrono::seconds connect_timeout{5};
// Connections that have sent nothing yet. One more replaces the oldest: silent connections have a bounded
// cost and keep no guest out, because a guest asks to connect as soon as it is connected.
constexpr unsigned max_handshakes = 64;
constexpr std::chrono::milliseconds no_descriptor_pause{100};

} // namespace

GuestConnection::GuestConnection(boost::asio::io_context& io, base::UniqueFd socket, guests::GuestHost& host,
                                 Identity const& identity, std::function<void()> done)
    : socket_(io, socket.release()), patience_(io, connect_timeout), host_(host), identity_(identity),
      done_(std::move(done)) {}

void GuestConnection::start() {
  patience_.async_wait([self = shared_from_this()](error_code error) {
    if (!error) self->refuse({ETIMEDOUT, "no connect request came within 5 seconds"});
  });
  socket_.async_wait(descriptor_base::wait_read, [self = shared_from_this()](error_code error) {
    if (!error && self->socket_.is_open()) self->read_connect_request();
  });
}

void GuestConnection::read_connect_request() {
  // one more byte, to detect a longer packet
  std::array<std::byte, PEGASUS_CONNECT_BYTES_MAX + 1> packet;
  ssize_t const length = recv(socket_.native_handle(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (length <= 0) return refuse({EPROTO, "the connection was closed before the connect request"});
  auto const connect_request =
      guests::parse_connect_request(std::span(packet).first(static_cast<std::size_t>(length)));
  if (!connect_request) {
    agreement_ = connect_request.error().agreement;
    return refuse(connect_request.error());
  }
  agreement_ = connect_request->agreement;
  auto const peer = peer_of(socket_.native_handle());
  if (!peer) return refuse({EPERM, peer.error()});
  auto const domain = identity_.domain_of(socket_.native_handle(), *peer, connect_request->domain);
  if (!domain) return refuse(domain.error());
  auto connect_reply = host_.admit(*domain, *connect_request, *peer, shared_from_this());
  if (!connect_reply) return refuse(connect_reply.error());
  guests::agree(*connect_reply, agreement_);
  end_handshake();
  if (send_connect_reply(*connect_reply))
    watch(connect_reply->task);
  else
    host_.guest_left(connect_reply->task);
}

tl::expected<guests::ChannelSource, std::string>
GuestConnection::make_channel(ring::Geometry const& geometry, std::uint64_t host_window_bytes) {
  auto channel = guests::SharedMemory::create("pegasus-channel", geometry.total_bytes);
  if (!channel) return tl::unexpected(channel.error());
  channel_ = std::move(*channel);
  ring::initialize(channel_.data(), geometry, agreement_.version);
  if (host_window_bytes == 0 || (agreement_.features & PEGASUS_FEATURE_HOST_WINDOW) == 0)
    return guests::ChannelSource{.fd = channel_.fd()};
  auto window = guests::sealed_file("pegasus-host-window", host_window_bytes);
  if (!window) return tl::unexpected(window.error());
  host_window_ = std::move(*window);
  return guests::ChannelSource{
      .fd = channel_.fd(), .host_window_fd = host_window_.get(), .host_window_bytes = host_window_bytes};
}

tl::expected<pegasus_totals*, std::string> GuestConnection::make_totals() {
  auto totals = guests::SharedMemory::create("pegasus-totals", sizeof(pegasus_totals),
                                             guests::SharedMemory::Others::read_only);
  if (!totals) return tl::unexpected(totals.error());
  totals_ = std::move(*totals);
  guests::initialize_totals(totals_.as<pegasus_totals>(), agreement_.version);
  return &totals_.as<pegasus_totals>();
}

void GuestConnection::refuse(guests::Rejection const& rejection) {
  if (!done_) return; // already admitted or refused; the timer had just expired
  pegasus_connect_reply answer = guests::make_rejection(rejection);
  guests::agree(answer, agreement_);
  send_connect_reply(answer);
  hang_up();
  end_handshake();
}

void GuestConnection::end_handshake() {
  patience_.cancel();
  std::exchange(done_, nullptr)();
}

bool GuestConnection::send_connect_reply(pegasus_connect_reply const& connect_reply) {
  std::array<int, 2> files{};
  std::size_t count = 0;
  for (int const file : {channel_.data() != nullptr ? channel_.fd() : totals_.fd(), host_window_.get()})
    if (file >= 0 && connect_reply.error == 0) files[count++] = file;
  auto const bytes = guests::bytes_of(connect_reply);
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count != 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), files.data(), count * sizeof(int));
  }
  return sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

// A guest sends nothing after its connect request: readable means that it has hung up.
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

GuestServer::GuestServer(boost::asio::io_context& io, base::UniqueFd listener, guests::GuestHost& host,
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
  base::UniqueFd socket(accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.get() < 0) return errno == EAGAIN || errno == ECONNABORTED ? accept() : later();
  make_room();
  auto const place = handshakes_.emplace(handshakes_.end());
  auto const guest = std::make_shared<GuestConnection>(io_, std::move(socket), host_, identity_,
                                                       [this, place] { handshakes_.erase(place); });
  *place = guest;
  guest->start();
  accept();
}

void GuestServer::make_room() {
  if (handshakes_.size() < max_handshakes) return;
  if (auto const oldest = handshakes_.front().lock())
    oldest->refuse({EAGAIN, "too many connections have sent no connect request: try again"});
}

} // namespace pegasus::local
