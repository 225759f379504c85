// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/daemon.h"

#include "control/control.pb.h"
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

using namespace pegasus;
using namespace pegasus::daemon;

namespace {

constexpr char const* stays = "stays"; // a worker that does nothing until it is killed

// No worker executes anything on these.
std::vector<FoundAccelerator> some_accelerators(int count) {
  FoundAccelerator one;
  one.profile.name = "an accelerator";
  one.memory_bytes = one.profile.memory_bytes = std::uint64_t{1} << 30;
  one.device.kind = device::kind_named("software").value();
  return std::vector(static_cast<std::size_t>(count), one);
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
                   Admission admission = Admission::refuse) {
    Options options;
    options.admission = admission;
    options.directory = directory;
    options.worker_program = worker == stays ? script("[ $# = 0 ] || exit 0; exec /bin/sleep 10") : worker;
    auto made = Daemon::create(io, options, some_accelerators(accelerators));
    REQUIRE(made);
    daemon = std::move(*made);
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
    control::Reply reply;
    daemon->control().answer(request, reply);
    return reply;
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
  control::Accelerator accelerator(int index) {
    control::Request request;
    request.mutable_accelerators();
    return ask(request).accelerators().accelerator(index);
  }
  control::Domain domain(std::string const& name) {
    control::Reply const reply = domains();
    for (control::Domain const& one : reply.domains().domain())
      if (one.name() == name) return one;
    return {};
  }
  control::Reply domains() {
    control::Request request;
    request.mutable_domains();
    return ask(request);
  }
  // Runs the daemon until `done` returns true; returns false if it never did.
  template <class Done> bool run_until(Done done) {
    for (int turn = 0; turn < 500; ++turn) {
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

  void send_connect_request(char const* domain) const {
    pegasus_connect_request connect_request{};
    connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
    connect_request.version = PEGASUS_PROTOCOL_VERSION;
    std::strncpy(connect_request.domain, domain, sizeof connect_request.domain - 1);
    REQUIRE(send(socket, &connect_request, sizeof connect_request, MSG_NOSIGNAL) == sizeof connect_request);
  }
  ssize_t receive(pegasus_connect_reply& connect_reply) const {
    return recv(socket, &connect_reply, sizeof connect_reply, MSG_DONTWAIT);
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
  CHECK(reply.domains().domain(0).credits() == 512);
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

TEST_CASE("a guest whose worker ends is connected, then hung up on, and leaves nothing") {
  Fixture f;
  Client client(f.directory);
  client.send_connect_request("dom1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(connect_reply.error == 0);
  CHECK(connect_reply.slots == PEGASUS_SLOTS_DEFAULT);
  CHECK(f.run_until([&] { return client.receive(connect_reply) == 0; }));
  CHECK(f.run_until([&] { return f.domains().domains().domain(0).task_size() == 0; }));
}

TEST_CASE("a guest that leaves takes its worker along") {
  Fixture f(stays);
  {
    Client client(f.directory);
    client.send_connect_request("dom1");
    pegasus_connect_reply connect_reply{};
    REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  }
  CHECK(f.run_until([&] { return f.domains().domains().domain(0).task_size() == 0; }));
}

TEST_CASE("a worker that cannot be started is told to the guest") {
  Fixture f("/no/such/worker");
  Client client(f.directory);
  client.send_connect_request("dom1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(connect_reply.error != 0);
  CHECK(std::string(connect_reply.message).find("/no/such/worker") != std::string::npos);
}

TEST_CASE("a domain is removed with what was set of it; a guest's is not") {
  Fixture f;
  CHECK(f.set("dom1", true, 512).error().empty());
  CHECK(f.remove("dom1").empty());
  CHECK(f.domains().domains().domain_size() == 0);
  CHECK(f.remove("dom1") == "there is no domain \"dom1\"; there are none yet");
  CHECK(f.set("dom1", true).error().empty());
  CHECK(f.domain("dom1").credits() == 256);
  f.daemon->sessions().set_guest(7, "guest", {.credits = 9});
  CHECK(f.remove("guest", true) ==
        "domain guest is a guest of Xen: it stays as long as its device; detach that "
        "by its toolstack");
  CHECK(f.domain("guest").credits() == 9);
}

TEST_CASE("a domain with tasks is removed only with them, and admits no task meanwhile") {
  Fixture f(stays);
  Client client(f.directory), late(f.directory);
  client.send_connect_request("dom1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(f.remove("dom1") == "domain dom1 has 1 tasks: end them, or add --kill");
  CHECK(f.domain("dom1").task_size() == 1);
  CHECK(f.remove("dom1", true).empty());
  CHECK(f.set("dom1", false).error().find("domain dom1 is being removed") ==
        0); // its worker is not reaped yet
  CHECK(f.run_until([&] { return f.domains().domains().domain_size() == 0; }));
  CHECK(f.run_until([&] { return client.receive(connect_reply) == 0; }));
  late.send_connect_request("dom1");
  REQUIRE(f.run_until([&] { return late.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(connect_reply.error == 0);
}

TEST_CASE("domains are spread over the accelerators, each with all its tasks on one") {
  Fixture f(stays, 2);
  std::vector<std::unique_ptr<Client>> clients;
  auto const arrives = [&](char const* domain) {
    clients.push_back(std::make_unique<Client>(f.directory));
    clients.back()->send_connect_request(domain);
    pegasus_connect_reply connect_reply{};
    REQUIRE(f.run_until([&] { return clients.back()->receive(connect_reply) == sizeof connect_reply; }));
  };
  arrives("one");
  arrives("two");
  arrives("one");
  CHECK(f.domain("one").accelerator() == 0);
  CHECK(f.domain("two").accelerator() == 1);
  CHECK(f.accelerator(0).tasks() == 2);
  CHECK(f.accelerator(0).domains() == 1);
  CHECK(f.accelerator(1).tasks() == 1);
  CHECK(f.domain("one").target_share() == 1);
  clients.clear();
  CHECK(f.run_until([&] { return f.accelerator(0).tasks() + f.accelerator(1).tasks() == 0; }));
  arrives("two"); // none is in use: the first of equals
  CHECK(f.domain("two").accelerator() == 0);
}

TEST_CASE("an operator chooses a domain's accelerator, for when it has no tasks") {
  Fixture f(stays, 2);
  CHECK(f.pin("one", "2").error().find("no accelerator 2; there are 2") != std::string::npos);
  CHECK(f.pin("one", "1").error().empty());
  auto const arrives = [&] {
    auto client = std::make_unique<Client>(f.directory);
    client->send_connect_request("one");
    pegasus_connect_reply connect_reply{};
    REQUIRE(f.run_until([&] { return client->receive(connect_reply) == sizeof connect_reply; }));
    return client;
  };
  {
    auto const first = arrives();
    CHECK(f.domain("one").accelerator() == 1);
    CHECK(f.pin("one", "any").error().empty());
    auto const second = arrives(); // on the same accelerator as the first
    CHECK(f.domain("one").accelerator() == 1);
  }
  CHECK(f.run_until([&] { return f.accelerator(1).tasks() == 0; }));
  auto const third = arrives();
  CHECK(f.domain("one").accelerator() == 0);
}

namespace {

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

} // namespace

TEST_CASE("a domain whose memory limit cannot be kept is refused, until it can") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 700).empty());
  CHECK(programs.error("first") == 0);
  pegasus_connect_reply const connect_reply = programs.ask("second");
  CHECK(connect_reply.error == ENOSPC);
  CHECK(std::string(connect_reply.message) ==
        "domain second is to have 700M of accelerator memory, and at most 324M are free: end a program of "
        "another domain, set less, or start pegasusd with --admission wait");
  CHECK(f.domain("second").not_admitted() == connect_reply.message);
  CHECK_FALSE(f.domain("second").waiting());
  CHECK(programs.error("without limit") != 0); // the name is not valid
  CHECK(programs.error("without_limit") == 0);
  CHECK(programs.error("first") == 0); // it is admitted
  programs.end("first");
  CHECK(programs.error("second") == 0);
  CHECK(f.domain("second").not_admitted().empty());
}

TEST_CASE("SLOs of an accelerator's domains add up to 1 at most; others may go to another") {
  Fixture f(stays, 2);
  Programs programs{f, {}};
  for (char const* name : {"a", "b", "c"})
    CHECK(f.promise(name, 0, 0.6).empty());
  CHECK(programs.error("a") == 0);
  CHECK(programs.error("b") == 0);
  CHECK(f.domain("a").accelerator() != f.domain("b").accelerator());
  CHECK(std::string(programs.ask("c").message)
            .starts_with("domain c is to have 0.600 of an accelerator's time, and at most 0.400 are not "
                         "promised"));
  CHECK(f.promise("c", 0, 0.4).empty());
  CHECK(programs.error("c") == 0);
}

TEST_CASE("domains wait in the order in which they came") {
  Fixture f(stays, 1, Admission::wait);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 800).empty());
  CHECK(f.promise("third", 300).empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN); // enough is free, but the second waits
  CHECK(f.domain("third").waiting());
  CHECK(f.domain("third").not_admitted() ==
        "domain third is to have 300M of accelerator memory, and at most 0M are free; before it 1 waits");
  programs.end("first");
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("second") == 0);
  CHECK_FALSE(f.domain("second").waiting());
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN);
  programs.end("second");
  CHECK(programs.error("third") == 0);
}

TEST_CASE("a domain that waits for a chosen accelerator delays none on another") {
  Fixture f(stays, 2, Admission::wait);
  Programs programs{f, {}};
  for (char const* name : {"first", "second", "third"})
    CHECK(f.promise(name, 700).empty());
  CHECK(f.pin("first", "0").error().empty());
  CHECK(f.pin("second", "0").error().empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("third") == 0);
  CHECK(f.domain("third").accelerator() == 1);
}

TEST_CASE("while a domain waits, those without a limit leave room for it") {
  Fixture f(stays, 1, Admission::wait);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 800).empty());
  CHECK(programs.error("any") == 0);
  CHECK(f.domain("any").memory_limit_bytes() == 1024ull << 20); // the two limits do not fit together
  CHECK(programs.error("first") == 0);
  CHECK(f.domain("any").memory_limit_bytes() == 324ull << 20);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(f.domain("any").memory_limit_bytes() == 224ull << 20);
  CHECK(f.remove("second").empty());
  CHECK(f.domain("any").memory_limit_bytes() == 324ull << 20);
  programs.end("first");
  CHECK(f.domain("any").memory_limit_bytes() == 324ull << 20); // an idle domain's limit is kept free, too
}

TEST_CASE("a promise that no accelerator can ever keep is refused, also where others wait") {
  Admission const admission = GENERATE(Admission::refuse, Admission::wait);
  Fixture f(stays, 2, admission);
  f.daemon->sessions().set_guest(7, "large", {.memory = std::uint64_t{2} << 30});
  auto const connect_reply = f.daemon->sessions().admit(7, {}, {}, nullptr);
  REQUIRE_FALSE(connect_reply);
  CHECK(connect_reply.error().error == ENOSPC);
  CHECK(connect_reply.error().message ==
        "domain large is to have 2048M of accelerator memory, and there is no more "
        "than 1024M: set memory= to that or less");
  CHECK_FALSE(f.domain("large").waiting());
}

TEST_CASE("while tasks are being ended no domain is refused, but asked to try again") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 700).empty());
  CHECK(programs.error("first") == 0);
  CHECK(f.remove("first", true).empty()); // its worker is not reaped yet
  auto const connect_reply = f.daemon->sessions().admit("second", {}, {}, nullptr);
  REQUIRE_FALSE(connect_reply);
  CHECK(connect_reply.error().error == PEGASUS_ASK_AGAIN);
  CHECK(f.domain("second").not_admitted().empty());
  CHECK(f.run_until([&] { return f.domain("first").name().empty(); }));
  CHECK(programs.error("second") == 0);
}

TEST_CASE("a domain in use is not promised more than can be kept") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700, 0.5).empty());
  CHECK(f.promise("second", 200, 0.2).empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == 0);
  CHECK(
      f.promise("second", 400, 0.2) ==
      "domain second is to have 400M of accelerator memory, and at most 324M are free on its accelerator 0: "
      "set less, or end a program of another domain");
  CHECK(f.promise("second", 200, 0.6).find("0.600 of an accelerator's time") != std::string::npos);
  CHECK(f.domain("second").memory_limit_bytes() == 200 << 20);
  CHECK(f.promise("second", 324, 0.5).empty());
  CHECK(f.promise("first", 100, 0.1).empty());
}

TEST_CASE("a guest of Xen is its domain id, whatever it is called") {
  Fixture f;
  f.daemon->sessions().set_guest(1, "g1", {.credits = 512, .memory = 64 << 20});
  f.daemon->sessions().set_guest(1, "other", {.credits = 512, .memory = 64 << 20}); // xl rename
  f.daemon->sessions().set_guest(2, "g1", {.credits = 64, .memory = 16 << 20});
  CHECK(f.domain("other").credits() == 512);
  CHECK(f.domain("g1").credits() == 64);
  f.daemon->sessions().forget_guest(2);
  REQUIRE(f.domains().domains().domain_size() == 1);
  CHECK(f.domain("other").credits() == 512);
  CHECK(f.domain("other").memory_limit_bytes() == 64 << 20);
}

TEST_CASE("a program outside of a guest is not in the guest's domain") {
  Fixture f(stays);
  f.daemon->sessions().set_guest(1, "g1", {.credits = 512});
  Client client(f.directory);
  client.send_connect_request("g1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(std::string(connect_reply.message) ==
        "domain g1 is a guest of Xen, with domain id 1: a program outside of it takes another name");
  CHECK(f.set("local", true).error().empty());
  f.daemon->sessions().set_guest(2, "local", {.credits = 100});
  CHECK(f.domain("local").credits() == 256);
  CHECK(f.domain("local:2").credits() == 100);
}

TEST_CASE("a second daemon in the same directory is refused, a dead one's sockets are replaced") {
  Fixture f;
  Options options;
  options.directory = f.directory;
  auto const second = Daemon::create(f.io, options, some_accelerators(1));
  REQUIRE_FALSE(second);
  CHECK(second.error().find("another pegasusd") != std::string::npos);
  f.daemon.reset(); // leaves its sockets behind, as a killed one does
  CHECK(Daemon::create(f.io, options, some_accelerators(1)));
}
