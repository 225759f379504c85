// SPDX-License-Identifier: Apache-2.0
// What a process writes to control.sock or status.sock. No byte stops pegasusd; each request gets one reply of
// control.proto; through status.sock nothing changes.
//
// Input: a byte that chooses the socket, then messages: a byte of choices, the length of the body (8 bits, in units of
// one or 64 bytes), the body. Most get the length that they have; others another one, or none.
#include "tests/fuzz/daemon_host.h"

#include "control/figure_values.h"
#include "control/framing.h"
#include "domA/daemon/directory.h"
#include "domA/daemon/status_host.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

using namespace pegasus;
using fuzz::require;

constexpr unsigned max_messages = 32;

// The sockets of its own daemon answer a user only so often; these do not wait.
struct Servers {
  fuzz::DaemonHost& host = fuzz::DaemonHost::get();
  std::string directory = host.directory();
  daemon::StatusHost shown{host.daemon().control()};
  static constexpr daemon::ClientLimits::Limits limits{.per_user = 4, .connections = 4, .reply_interval = {}};
  daemon::ControlServer control{host.io(), listener("/c"), host.daemon().control(), limits};
  daemon::ControlServer status{host.io(), listener("/s"), shown, limits};

  [[nodiscard]] base::UniqueFd listener(char const* name) const {
    auto made = daemon::listen_at(directory + name, SOCK_STREAM);
    require(made.has_value());
    return std::move(*made);
  }
};

base::UniqueFd connect_to(std::string const& path) {
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  require(connect(fd.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
  return fd;
}

class Client {
public:
  Client(Servers& servers, bool of_status)
      : servers_(servers), fd_(connect_to(servers.directory + (of_status ? "/s" : "/c"))) {}

  // Returns false once pegasusd has hung up.
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t const wrote = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (wrote < 0 && errno != EAGAIN) return false;
      if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
      servers_.host.run();
      if (!read()) return false;
    }
    return true;
  }

  // The replies so far, whole ones only.
  void check_replies(unsigned requests) {
    unsigned replies = 0;
    std::string_view rest = received_;
    while (!rest.empty()) {
      control::LengthBytes length{};
      require(rest.size() >= length.size());
      rest.copy(reinterpret_cast<char*>(length.data()), length.size());
      std::size_t const bytes = control::body_length(length);
      require(bytes <= control::max_message && rest.size() - length.size() >= bytes);
      control::Reply reply;
      require(reply.ParseFromArray(rest.data() + length.size(), static_cast<int>(bytes)));
      require(!reply.error().empty() || reply.what_case() != control::Reply::WHAT_NOT_SET);
      rest.remove_prefix(length.size() + bytes);
      ++replies;
    }
    require(replies == requests);
  }

private:
  bool read() {
    char buffer[4096];
    for (;;) {
      ssize_t const got = recv(fd_.get(), buffer, sizeof buffer, 0);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN;
      received_.append(buffer, static_cast<std::size_t>(got));
      servers_.host.run();
    }
  }

  Servers& servers_;
  base::UniqueFd fd_;
  std::string received_;
};

// What an operator sees, but for times.
std::string settings_of(fuzz::DaemonHost& host) {
  control::Request request;
  request.mutable_policy();
  std::string text = host.ask(request).SerializeAsString();
  control::Domains const all = host.domains();
  for (control::Domain const& domain : all.domain()) {
    control::DomainFigures const figures = control::figures_of(domain);
    text += domain.name() + ' ' + std::to_string(figures.credits) + ' ' + std::to_string(figures.slo) + ' ' +
            std::to_string(figures.memory_limit_bytes) + ' ' + std::to_string(figures.cap) + '\n';
  }
  return text;
}

struct Message {
  std::string bytes;
  bool whole = false; // a length and as many bytes
};

Message take_message(fuzz::Input& input) {
  auto const choice = input.take<std::uint8_t>();
  auto const body = input.take_bytes(input.take<std::uint8_t>() * (choice % 8 == 7 ? std::size_t{64} : 1));
  std::string const text(reinterpret_cast<char const*>(body.data()), body.size());
  if (choice / 8 % 16 == 15) return {text, false};
  std::string framed = control::frame(text).value();
  if (choice / 8 % 16 != 14) return {framed, true};
  framed.replace(0, 4, reinterpret_cast<char const*>(&choice), 1); // shorter: the rest is what follows
  return {framed, false};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  static auto* const servers = new Servers;
  fuzz::DaemonHost& host = servers->host;
  fuzz::Input input(data, bytes);
  bool const of_status = input.take<std::uint8_t>() % 4 == 3;
  if (of_status) { // so that there is something that could be changed
    control::Request request;
    request.mutable_set_domain()->set_name("a");
    request.mutable_set_domain()->set_create(true);
    require(host.ask(request).error().empty());
  }
  std::string const before = settings_of(host);
  {
    Client client(*servers, of_status);
    unsigned requests = 0;
    bool understood = true; // until a message that is not whole: what follows belongs to it
    for (unsigned n = 0; n < max_messages && !input.empty(); ++n) {
      Message const message = take_message(input);
      understood = understood && message.whole;
      if (!client.write(message.bytes)) break;
      if (!understood) continue;
      client.check_replies(++requests);
    }
  }
  host.run();
  require(!of_status || settings_of(host) == before);
  require(host.daemon().sessions().size() == 0);
  host.reset();
  require(host.domains().domain_size() == 0);
  return 0;
}
