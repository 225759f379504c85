// SPDX-License-Identifier: Apache-2.0
// Programs that connect, end and are ended.
#include "domA/daemon/testing/daemon_fixture.h"

using namespace pegasus;
using namespace pegasus::daemon;
using namespace pegasus::daemon::testing;

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

TEST_CASE("a guest that leaves ends its worker") {
  Fixture f(stays);
  {
    Client client(f.directory);
    client.send_connect_request("dom1");
    pegasus_connect_reply connect_reply{};
    REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  }
  CHECK(f.run_until([&] { return f.domains().domains().domain(0).task_size() == 0; }));
}

TEST_CASE("the guest is told that a worker cannot be started") {
  Fixture f("/no/such/worker");
  Client client(f.directory);
  client.send_connect_request("dom1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(connect_reply.error != 0);
  CHECK(std::string(connect_reply.message).find("/no/such/worker") != std::string::npos);
}

TEST_CASE("call buffers of a domain's programs are half of its host memory at most") {
  Fixture f(stays);
  control::Request request;
  request.mutable_set_domain()->set_name("d");
  request.mutable_set_domain()->set_create(true);
  request.mutable_set_domain()->add_setting("host-memory=100M");
  REQUIRE(f.ask(request).error().empty());
  auto const connect = [&](Client const& client, char const* domain) {
    pegasus_connect_reply reply{};
    client.send_connect_request(domain, 24 << 20);
    REQUIRE(f.run_until([&] { return client.receive(reply) == sizeof reply; }));
    return std::string(reply.error == 0 ? "" : reply.message);
  };
  Client const first(f.directory), third(f.directory), others(f.directory);
  CHECK(connect(first, "d").empty());
  {
    Client const second(f.directory);
    CHECK(connect(second, "d").empty());
    CHECK_THAT(connect(third, "d"),
               Catch::Contains("(51200 KiB)") && Catch::Contains("pegasusctl set d host-memory=SIZE"));
    CHECK(connect(others, "other").empty());
  }
  CHECK(f.run_until([&] { return f.domain("d").task_size() == 1; }));
  Client const later(f.directory);
  CHECK(connect(later, "d").empty());
}

TEST_CASE("a guest of Xen is its domain id, whatever it is called") {
  Fixture f;
  f.daemon->sessions().set_guest(1, "g1", {.credits = 512, .memory = 64 << 20});
  f.daemon->sessions().set_guest(1, "other", {.credits = 512, .memory = 64 << 20}); // xl rename
  f.daemon->sessions().set_guest(2, "g1", {.credits = 64, .memory = 16 << 20});
  CHECK(f.figures("other").credits == 512);
  CHECK(f.figures("g1").credits == 64);
  f.daemon->sessions().forget_guest(2);
  REQUIRE(f.domains().domains().domain_size() == 1);
  CHECK(f.figures("other").credits == 512);
  CHECK(f.figures("other").memory_limit_bytes == 64 << 20);
}

TEST_CASE("a program outside of a guest is not in the guest's domain") {
  Fixture f(stays);
  f.daemon->sessions().set_guest(1, "g1", {.credits = 512});
  Client client(f.directory);
  client.send_connect_request("g1");
  pegasus_connect_reply connect_reply{};
  REQUIRE(f.run_until([&] { return client.receive(connect_reply) == sizeof connect_reply; }));
  CHECK(std::string(connect_reply.message) ==
        "domain g1 is a guest of Xen, with domain id 1: choose another name for local programs");
  CHECK(f.set("local", true).error().empty());
  f.daemon->sessions().set_guest(2, "local", {.credits = 100});
  CHECK(f.figures("local").credits == 256);
  CHECK(f.figures("local:2").credits == 100);
}
