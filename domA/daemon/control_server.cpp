// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/control_server.h"

#include "base/unique_fd.h"
#include "control/control.pb.h"
#include "control/framing.h"
#include "domA/guests/local/peer_process.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <google/protobuf/stubs/logging.h>
#include <memory>
#include <string>

namespace pegasus::daemon {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::chrono::minutes idle_limit{10}; // a forgotten connection does not hold a descriptor for ever
constexpr std::chrono::milliseconds accept_pause{100};

class Session : public std::enable_shared_from_this<Session> {
public:
  Session(stream_protocol::socket socket, ControlHost& host, std::shared_ptr<ClientLimits> clients,
          ClientLimits::Connection connection)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), host_(host), clients_(std::move(clients)),
        connection_(std::move(connection)) {}

  void read_length() {
    timer_.expires_after(idle_limit);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
      if (auto const self = weak.lock(); self && !error) self->socket_.close();
    });
    asio::async_read(socket_, asio::buffer(length_),
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->read_message();
                     });
  }

private:
  void read_message() {
    std::size_t const bytes = control::body_length(length_);
    if (bytes > control::max_message) return; // not a client of ours: hang up
    message_.resize(bytes);
    asio::async_read(socket_, asio::buffer(message_),
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) self->wait_for_turn();
                     });
  }

  void wait_for_turn() {
    auto const wait = connection_.wait(std::chrono::steady_clock::now());
    if (wait.count() <= 0) return answer();
    timer_.expires_after(wait);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->answer();
    });
  }

  void answer() {
    control::Request request;
    if (request.ParseFromString(message_))
      return host_.answer(request,
                          [self = shared_from_this()](control::Reply const& reply) { self->send(reply); });
    control::Reply refusal;
    refusal.set_error("this is not a request of control.proto");
    send(refusal);
  }

  void send(control::Reply const& reply) {
    auto framed = control::frame(reply.SerializeAsString());
    if (!framed) return; // longer than its client would read
    message_ = std::move(*framed);
    asio::async_write(socket_, asio::buffer(message_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read_length();
                      });
  }

  stream_protocol::socket socket_;
  asio::steady_timer timer_; // idle limit, or delay of the answer
  ControlHost& host_;
  std::shared_ptr<ClientLimits> clients_;
  ClientLimits::Connection connection_;
  control::LengthBytes length_{};
  std::string message_;
};

} // namespace

ControlServer::ControlServer(asio::io_context& io, base::UniqueFd listener, ControlHost& host,
                             ClientLimits::Limits const& limits)
    : acceptor_(io, stream_protocol(), listener.release()), host_(host),
      clients_(std::make_shared<ClientLimits>(limits)) {
  // Else protobuf writes a line to standard error for each text that is not UTF-8: users could fill the log.
  google::protobuf::SetLogHandler(nullptr);
  accept();
}

void ControlServer::stop() {
  error_code ignored;
  acceptor_.close(ignored);
}

void ControlServer::serve(stream_protocol::socket socket) {
  auto const peer = local::peer_of(socket.native_handle());
  if (!peer) return;
  if (auto connection = clients_->admit(peer->user, std::chrono::steady_clock::now()))
    std::make_shared<Session>(std::move(socket), host_, clients_, std::move(*connection))->read_length();
}

void ControlServer::accept() {
  acceptor_.async_accept([this](error_code error, stream_protocol::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      serve(std::move(socket));
      return accept();
    }
    // out of descriptors
    auto pause = std::make_shared<asio::steady_timer>(acceptor_.get_executor(), accept_pause);
    pause->async_wait([this, pause](error_code aborted) {
      if (!aborted && acceptor_.is_open()) accept();
    });
  });
}

} // namespace pegasus::daemon
