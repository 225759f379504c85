// SPDX-License-Identifier: Apache-2.0
// What operators ask of pegasusd.
#include "domA/daemon/testing/daemon_fixture.h"

#include "control/framing.h"
#include "domA/daemon/directory.h"

#include <sys/mman.h>

using namespace pegasus;
using namespace pegasus::daemon;
using namespace pegasus::daemon::testing;

namespace {

struct Connection {
  int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  explicit Connection(std::string const& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
  }
  ~Connection() { close(socket); }
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;

  void send(std::string const& bytes) const {
    REQUIRE(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] bool has_answer() const {
    char first = 0;
    return recv(socket, &first, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
  }
};

} // namespace

TEST_CASE("settings of domains are checked before anything changes") {
  Fixture f;
  CHECK(f.set("dom1", false).error().find("no domain \"dom1\"") != std::string::npos);
  CHECK(f.set("dom1", true, 512).error().empty());
  CHECK(f.set("dom1", false, 0).error().find("1 to 65535") != std::string::npos);
  CHECK(f.set("dom1", false, 65536).error().find("1 to 65535") != std::string::npos);
  CHECK(f.set("../etc", true).error().find("not a domain's name") != std::string::npos);
  CHECK(f.set("dom2", false).error().find("there are: dom1") != std::string::npos);
  control::Reply const reply = f.domains();
  REQUIRE(reply.domains().domain_size() == 1);
  CHECK(control::figures_of(reply.domains().domain(0)).credits == 512);
}

TEST_CASE("a domain's figures include its settings before it has used anything") {
  Fixture f;
  control::Request request;
  request.mutable_set_domain()->set_name("dom1");
  request.mutable_set_domain()->set_create(true);
  for (char const* const setting : {"credits=512", "slo=0.25", "cap=0.5", "latency=2ms", "memory=64M"})
    request.mutable_set_domain()->add_setting(setting);
  REQUIRE(f.ask(request).error().empty());
  control::DomainFigures figures = f.figures("dom1");
  CHECK(figures.cpu_weight > 0); // as policies see it, with a hypervisor or without
  figures.cpu_weight = 0;
  figures.host_memory_bytes = figures.host_memory_limit_bytes = 0; // if there are control groups
  CHECK(figures == control::DomainFigures{.credits = 512,
                                          .slo = 0.25,
                                          .cap = 0.5,
                                          .latency_slice_ns = 2'000'000,
                                          .memory_limit_bytes = 64 << 20,
                                          .memory_limited = true,
                                          .kept = true});
}

TEST_CASE("the policy is shown and switched, an unknown name lists the valid ones") {
  Fixture f;
  control::Request request;
  request.mutable_policy()->set_name("rr");
  CHECK(f.ask(request).policy().name() == "rr");
  request.mutable_policy()->set_name("fastest");
  CHECK(f.ask(request).error().find("none, rr, accc") != std::string::npos);
  request.mutable_policy()->set_name("");
  CHECK(f.ask(request).policy().name() == "rr");
}

TEST_CASE("an empty request and a shutdown of a public daemon are refused") {
  Fixture f;
  CHECK_FALSE(f.ask({}).error().empty());
  control::Request request;
  request.mutable_shutdown();
  CHECK_FALSE(f.ask(request).error().empty());
}

// A user may send it fifty times a second: it would fill the operator's log.
TEST_CASE("a request that is not one of control.proto is answered, and nothing is logged") {
  Fixture f;
  struct Output { // what is written to standard error meanwhile
    int before = dup(STDERR_FILENO), file = memfd_create("stderr", MFD_CLOEXEC);
    Output() { dup2(file, STDERR_FILENO); }
    ~Output() { dup2(before, STDERR_FILENO); }
  };
  Connection const operators(f.directory + control_socket);
  std::string const not_utf8 = "\x2a\x03\x0a\x01\xff"; // a SetDomain whose name is not a text
  off_t written = -1;
  {
    Output const output;
    operators.send(control::frame(not_utf8).value());
    CHECK(f.run_until([&] { return operators.has_answer(); }));
    written = lseek(output.file, 0, SEEK_END);
  }
  CHECK(written == 0);
}

TEST_CASE("a domain is removed with its settings; a guest's domain is not removed") {
  Fixture f;
  CHECK(f.set("dom1", true, 512).error().empty());
  CHECK(f.remove("dom1").empty());
  CHECK(f.domains().domains().domain_size() == 0);
  CHECK(f.remove("dom1") == "there is no domain \"dom1\"; there are none yet");
  CHECK(f.set("dom1", true).error().empty());
  CHECK(f.figures("dom1").credits == 256);
  f.daemon->sessions().set_guest(7, "guest", {.credits = 9});
  CHECK(f.remove("guest", true) ==
        "domain guest is a guest of Xen, which exists while its device does: detach that with the toolstack");
  CHECK(f.figures("guest").credits == 9);
}

TEST_CASE("a domain with tasks is removed only with them, and admits no task meanwhile") {
  Fixture f(stays);
  Client client(f.directory), late(f.directory);
  client.send_connect_request("dom1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(f.remove("dom1") == "domain dom1 still has 1 task: remove it later, or add --kill");
  CHECK(f.domain("dom1").task_size() == 1);
  CHECK(f.remove("dom1", true).empty());
  auto const removed = f.set("dom1", false); // its worker is not reaped yet
  CHECK(removed.error_kind() == control::NOT_NOW);
  CHECK(removed.error().find("domain dom1 is being removed") == 0);
  CHECK(f.run_until([&] { return f.domains().domains().domain_size() == 0; }));
  CHECK(f.run_until([&] { return client.receive(connect_reply) == 0; }));
  late.send_connect_request("dom1");
  REQUIRE(f.run_until([&] { return late.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(connect_reply.error == 0);
}

TEST_CASE("a second daemon in the same directory is refused, a dead one's sockets are replaced") {
  Fixture f;
  Options options;
  options.directory = f.directory;
  auto const second = Daemon::create(f.io, options, some_accelerators(1));
  REQUIRE_FALSE(second);
  CHECK(second.error().message.find("another pegasusd") != std::string::npos);
  f.daemon.reset(); // leaves its sockets behind, as a killed one does
  CHECK(Daemon::create(f.io, options, some_accelerators(1)));
}
