// SPDX-License-Identifier: Apache-2.0
#include "control/client/client.h"

#include "control/framing.h"
#include "control/only_shows.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace pegasus::control {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t max_path = sizeof(sockaddr_un::sun_path) - 1; // unix(7): 107 bytes and a terminator

ClientError connect_failure(error_code error, std::string const& path) {
  if (error == boost::system::errc::permission_denied ||
      error == boost::system::errc::operation_not_permitted)
    return {
        ClientErrorKind::forbidden,
        fmt::format("you may not use the socket {}: ask its owner, or run this as the daemon's user", path)};
  if (error == boost::system::errc::no_such_file_or_directory ||
      error == boost::system::errc::connection_refused || error == boost::system::errc::not_a_directory ||
      error == asio::error::connection_refused)
    return {ClientErrorKind::absent,
            fmt::format("no pegasusd is running at {}: start one with `pegasusd --directory DIR`", path)};
  if (error == asio::error::timed_out || error == boost::system::errc::resource_unavailable_try_again)
    return {ClientErrorKind::silent,
            fmt::format("the pegasusd at {} does not take connections: it hangs or is overloaded; "
                        "look at its log and restart it",
                        path)};
  return {ClientErrorKind::broken, fmt::format("cannot use the socket {}: {}", path, error.message())};
}

// The listener determines what an operator sees and what a program is started with: it must be root or this
// user, as the kernel recorded at listen(2).
ClientResult<void> trust_listener(int socket, std::string const& path) {
  ucred listener{};
  socklen_t bytes = sizeof listener;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &listener, &bytes) != 0)
    return client_error(ClientErrorKind::broken,
                        fmt::format("cannot see who listens at {}: {}", path, std::strerror(errno)));
  if (listener.uid == 0 || listener.uid == geteuid()) return {};
  return client_error(
      ClientErrorKind::broken,
      fmt::format("{} belongs to user {}, who is neither root nor you: use root's daemon or one of "
                  "your own",
                  path, listener.uid));
}

ClientErrorKind kind_of(ErrorKind kind) {
  switch (kind) {
  case NOT_NOW:
  case FAILED:
    return ClientErrorKind::refused;
  case FORBIDDEN:
    return ClientErrorKind::forbidden;
  default:
    return ClientErrorKind::usage;
  }
}

} // namespace

class Client::Connection {
public:
  Connection(Address address, std::string path, milliseconds timeout)
      : socket(io), where(std::move(address)), path_of_socket(std::move(path)), limit(timeout) {}

  // Runs what `start` began until its handler has set `error`, or until the deadline.
  template <class Start> error_code finish(Start start) {
    error_code error;
    start(error);
    io.restart();
    io.run_until(deadline);
    if (!io.stopped()) {
      error_code ignored;
      socket.close(ignored);
      io.run(); // the cancelled handler refers to our frame: let it finish
      return asio::error::timed_out;
    }
    return error;
  }

  void start_clock() { deadline = steady_clock::now() + limit; }

  asio::io_context io{1};
  asio::local::stream_protocol::socket socket;
  Address where;
  std::string path_of_socket; // one of the address's
  milliseconds limit;
  steady_clock::time_point deadline;
};

Access access_for(Request const& request) { return only_shows(request) ? Access::look : Access::change; }

Client::Client(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Address const& Client::address() const { return connection_->where; }

ClientResult<Client> Client::connect_to(std::string const& path, Address const& address,
                                        milliseconds timeout) {
  if (path.size() > max_path)
    return client_error(
        ClientErrorKind::usage,
        fmt::format("the socket path {} is longer than {} bytes: use a shorter directory", path, max_path));
  auto connection = std::make_unique<Connection>(address, path, timeout);
  connection->start_clock();
  error_code const error = connection->finish([&](error_code& result) {
    connection->socket.async_connect(path, [&result](error_code code) { result = code; });
  });
  if (error) return tl::unexpected(connect_failure(error, path));
  fcntl(connection->socket.native_handle(), F_SETFD, FD_CLOEXEC); // Asio does not set it
  if (auto const trusted = trust_listener(connection->socket.native_handle(), path); !trusted)
    return tl::unexpected(trusted.error());
  return Client(std::move(connection));
}

ClientResult<Client> Client::connect(Address const& address, Access access, milliseconds timeout) {
  auto client = connect_to(address.control, address, timeout);
  if (client || access == Access::change || client.error().kind != ClientErrorKind::forbidden) return client;
  auto look = connect_to(address.status, address, timeout);
  if (look || look.error().kind != ClientErrorKind::forbidden) return look;
  return client_error(
      ClientErrorKind::forbidden,
      fmt::format("you may use neither {} nor {}: ask their owner (pegasusd's --socket-group lets a "
                  "group look)",
                  address.control, address.status));
}

ClientResult<Client> Client::connect(Addresses const& addresses, Access access, milliseconds timeout) {
  std::string looked;
  for (Address const& address : addresses.candidates) {
    auto client = connect(address, access, timeout);
    if (client || client.error().kind != ClientErrorKind::absent || addresses.chosen) return client;
    looked += fmt::format("{}{}", looked.empty() ? "" : " and ", address.control);
  }
  return client_error(
      ClientErrorKind::absent,
      fmt::format("no pegasusd is running (looked for {}): start one with `pegasusd`", looked));
}

ClientResult<Reply> Client::ask(Request const& request, Reply::WhatCase expected) {
  Connection& connection = *connection_;
  auto const ended = [&](error_code error) -> tl::unexpected<ClientError> {
    if (error == asio::error::timed_out)
      return client_error(
          ClientErrorKind::silent,
          fmt::format("the pegasusd at {} did not answer within {} s: it hangs or is overloaded; look at its "
                      "log and restart it",
                      connection.path_of_socket, static_cast<double>(connection.limit.count()) / 1000.0));
    return client_error(ClientErrorKind::broken,
                        fmt::format("the pegasusd at {} hung up before it answered ({}): did it end?",
                                    connection.path_of_socket, error.message()));
  };
  auto const framed = frame(request.SerializeAsString());
  if (!framed)
    return client_error(
        ClientErrorKind::usage,
        fmt::format("the request is longer than the {} bytes that a pegasusd reads; use shorter names",
                    max_message));
  connection.start_clock();
  auto const set = [](error_code& result) {
    return [&result](error_code code, std::size_t) { result = code; };
  };

  if (auto const error = connection.finish([&](error_code& result) {
        asio::async_write(connection.socket, asio::buffer(*framed), set(result));
      }))
    return ended(error);
  LengthBytes length_bytes{};
  if (auto const error = connection.finish([&](error_code& result) {
        asio::async_read(connection.socket, asio::buffer(length_bytes), set(result));
      }))
    return ended(error);
  std::size_t const length = body_length(length_bytes);
  if (length > max_message)
    return client_error(ClientErrorKind::broken,
                        fmt::format("what listens there announced an answer of {} bytes (at most {} are "
                                    "allowed); is it a pegasusd of this release?",
                                    length, max_message));
  std::string body(length, '\0');
  if (auto const error = connection.finish(
          [&](error_code& result) { asio::async_read(connection.socket, asio::buffer(body), set(result)); }))
    return ended(error);

  Reply reply;
  if (!reply.ParseFromString(body))
    return client_error(
        ClientErrorKind::broken,
        fmt::format("what listens at {} is not a pegasusd of this release: its answer is not a "
                    "message of control.proto",
                    connection.path_of_socket));
  if (!reply.error().empty()) return client_error(kind_of(reply.error_kind()), reply.error());
  if (reply.what_case() != expected)
    return client_error(ClientErrorKind::broken,
                        fmt::format("the pegasusd at {} answered another question: install tool and daemon "
                                    "from one release",
                                    connection.path_of_socket));
  return reply;
}

} // namespace pegasus::control
