// SPDX-License-Identifier: Apache-2.0
// A pegasusd whose workers execute nothing, and programs that connect to it, for its tests.
#pragma once

#include "domA/daemon/daemon.h"

#include "control/figure_values.h"
#include "frontend/protocol/channel.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pegasus::daemon::testing {

inline constexpr char const* stays = "stays"; // a worker that does nothing until it is killed

// No worker executes anything on these.
inline std::vector<FoundAccelerator> some_accelerators(int count, std::uint64_t context_bytes = 0) {
  FoundAccelerator accelerator;
  accelerator.profile.name = "an accelerator";
  accelerator.memory_bytes = accelerator.profile.memory_bytes = std::uint64_t{1} << 30;
  accelerator.device.kind = device::kind_named("software").value();
  accelerator.device.context_bytes = context_bytes;
  return std::vector(static_cast<std::size_t>(count), accelerator);
}

// A daemon with a harmless program as its workers: the tests cover everything around them.
struct Fixture {
  std::string directory = [] {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-daemon-test-XXXXXX").string();
    return std::string(mkdtemp(name.data()));
  }();
  boost::asio::io_context io{1};
  std::unique_ptr<Daemon> daemon;

  explicit Fixture(std::string const& worker = "/bin/true", int accelerators = 1,
                   Admission admission = Admission::refuse, std::uint64_t context_bytes = 0) {
    Options options;
    options.admission = admission;
    options.directory = directory;
    options.host_memory = std::uint64_t{1} << 30;
    options.worker_program = worker == stays ? script("[ $# = 0 ] || exit 0; exec /bin/sleep 10") : worker;
    auto created = Daemon::create(io, options, some_accelerators(accelerators, context_bytes));
    REQUIRE(created);
    daemon = std::move(*created);
  }
  std::string script(std::string const& line) const {
    std::string const path = directory + "/worker";
    std::ofstream(path) << "#!/bin/sh\n" << line << '\n';
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  ~Fixture() {
    daemon.reset();
    std::filesystem::remove_all(directory);
  }
  Fixture(Fixture const&) = delete;
  Fixture& operator=(Fixture const&) = delete;

  control::Reply ask(control::Request const& request) {
    auto const reply = std::make_shared<std::optional<control::Reply>>();
    daemon->control().answer(request, [reply](control::Reply const& answer) { *reply = answer; });
    while (!*reply)
      io.run_one();
    return **reply;
  }
  control::Reply set(std::string const& name, bool create, std::uint32_t credits = 256) {
    control::Request request;
    request.mutable_set_domain()->set_name(name);
    request.mutable_set_domain()->set_create(create);
    request.mutable_set_domain()->add_setting(fmt::format("credits={}", credits));
    return ask(request);
  }
  control::Reply pin(std::string const& name, std::string const& accelerator) {
    control::Request request;
    request.mutable_set_domain()->set_name(name);
    request.mutable_set_domain()->set_create(true);
    request.mutable_set_domain()->add_setting("accelerator=" + accelerator);
    return ask(request);
  }
  std::string promise(std::string const& name, std::uint64_t mebibytes, double slo = 0) {
    control::Request request;
    request.mutable_set_domain()->set_name(name);
    request.mutable_set_domain()->set_create(true);
    request.mutable_set_domain()->add_setting(fmt::format("memory={}M", mebibytes));
    request.mutable_set_domain()->add_setting(fmt::format("slo={}", slo));
    return ask(request).error();
  }
  std::string remove(std::string const& name, bool kill = false) {
    control::Request request;
    request.mutable_remove()->set_name(name);
    request.mutable_remove()->set_kill(kill);
    return ask(request).error();
  }
  control::AcceleratorFigures accelerator(int index) {
    control::Request request;
    request.mutable_accelerators();
    return control::figures_of(ask(request).accelerators().accelerator(index));
  }
  control::Domain domain(std::string const& name) {
    control::Reply const reply = domains();
    for (control::Domain const& domain : reply.domains().domain())
      if (domain.name() == name) return domain;
    return {};
  }
  control::DomainFigures figures(std::string const& name) { return control::figures_of(domain(name)); }
  control::Reply domains() {
    control::Request request;
    request.mutable_domains();
    return ask(request);
  }
  // Runs the daemon until `done` returns true; returns false if it never did.
  template <class Done> bool run_until(Done done) {
    for (int attempt = 0; attempt < 500; ++attempt) {
      if (done()) return true;
      io.run_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

struct Client {
  int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  explicit Client(std::string const& directory) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (directory + "/guest.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
  }
  ~Client() { close(socket); }
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  void send_connect_request(char const* domain, std::uint32_t arena_bytes = 0) const {
    pegasus_connect_request connect_request{};
    connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
    connect_request.version = PEGASUS_PROTOCOL_VERSION;
    connect_request.arena_bytes = arena_bytes;
    std::strncpy(connect_request.domain, domain, sizeof connect_request.domain - 1);
    REQUIRE(send(socket, &connect_request, sizeof connect_request, MSG_NOSIGNAL) == sizeof connect_request);
  }
  ssize_t receive(pegasus_connect_reply& connect_reply) const {
    return recv(socket, &connect_reply, sizeof connect_reply, MSG_DONTWAIT);
  }
};

// Programs of domains on accelerators of 1 GiB each.
struct Programs {
  Fixture& f;
  std::map<std::string, std::unique_ptr<Client>> running;

  pegasus_connect_reply ask(std::string const& domain) {
    auto client = std::make_unique<Client>(f.directory);
    client->send_connect_request(domain.c_str());
    pegasus_connect_reply connect_reply{};
    REQUIRE(f.run_until([&] { return client->receive(connect_reply) == sizeof connect_reply; }));
    if (connect_reply.error == 0) running[domain] = std::move(client);
    return connect_reply;
  }
  std::uint32_t error(std::string const& domain) { return ask(domain).error; }
  void end(std::string const& domain) {
    running.erase(domain);
    REQUIRE(f.run_until([&] { return f.domain(domain).task_size() == 0; }));
  }
};

} // namespace pegasus::daemon::testing
