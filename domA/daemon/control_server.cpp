// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/control_server.h"

#include "ctl/control.pb.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>

namespace pegasus::daemon {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::uint32_t message_max = 1u << 20;
constexpr std::chrono::minutes idle_limit{10}; // a forgotten connection does not hold a descriptor for ever
constexpr std::chrono::milliseconds accept_pause{100};

class Session : public std::enable_shared_from_this<Session> {
public:
  Session(stream_protocol::socket socket, ControlHost& host)
      : socket_(std::move(socket)), idle_(socket_.get_executor()), host_(host) {}

  void read_length() {
    idle_.expires_after(idle_limit);
    idle_.async_wait([weak = weak_from_this()](error_code error) {
      if (auto const self = weak.lock(); self && !error) self->socket_.close();
    });
    asio::async_read(socket_, asio::buffer(length_),
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->read_message();
                     });
  }

private:
  void read_message() {
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < length_.size(); ++i)
      bytes |= static_cast<std::uint32_t>(length_[i]) << (8 * i);
    if (bytes > message_max) return; // not a client of ours: hang up
    message_.resize(bytes);
    asio::async_read(socket_, asio::buffer(message_),
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

  void answer() {
    control::Request request;
    control::Reply reply;
    if (request.ParseFromString(message_))
      host_.answer(request, reply);
    else
      reply.set_error("this is not a request of control.proto");
    std::string const body = reply.SerializeAsString();
    message_.clear();
    for (unsigned shift = 0; shift < 32; shift += 8)
      message_ += static_cast<char>(body.size() >> shift & 0xff);
    message_ += body;
    asio::async_write(socket_, asio::buffer(message_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read_length();
                      });
  }

  stream_protocol::socket socket_;
  asio::steady_timer idle_;
  ControlHost& host_;
  std::array<unsigned char, 4> length_{};
  std::string message_;
};

} // namespace

ControlServer::ControlServer(asio::io_context& io, link::UniqueFd listener, ControlHost& host)
    : acceptor_(io, stream_protocol(), listener.release()), host_(host) {
  accept();
}

void ControlServer::stop() {
  error_code ignored;
  acceptor_.close(ignored);
}

void ControlServer::accept() {
  acceptor_.async_accept([this](error_code error, stream_protocol::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      std::make_shared<Session>(std::move(socket), host_)->read_length();
      return accept();
    }
    auto pause =
        std::make_shared<asio::steady_timer>(acceptor_.get_executor(), accept_pause); // out of descriptors
    pause->async_wait([this, pause](error_code aborted) {
      if (!aborted && acceptor_.is_open()) accept();
    });
  });
}

} // namespace pegasus::daemon
