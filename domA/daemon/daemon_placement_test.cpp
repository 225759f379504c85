// SPDX-License-Identifier: Apache-2.0
// Which accelerator a domain is on.
#include "domA/daemon/testing/daemon_fixture.h"

using namespace pegasus;
using namespace pegasus::daemon;
using namespace pegasus::daemon::testing;

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
  CHECK(f.accelerator(0).tasks == 2);
  CHECK(f.accelerator(0).domains == 1);
  CHECK(f.accelerator(1).tasks == 1);
  CHECK(f.figures("one").target_share == 1);
  clients.clear();
  CHECK(f.run_until([&] { return f.accelerator(0).tasks + f.accelerator(1).tasks == 0; }));
  arrives("two"); // none is in use: the first of equals
  CHECK(f.domain("two").accelerator() == 0);
}

TEST_CASE("an operator chooses a domain's accelerator, for when it has no tasks") {
  Fixture f(stays, 2);
  CHECK(f.pin("one", "2").error().find("no accelerator 2: this pegasusd has 2, numbered from 0") !=
        std::string::npos);
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
  CHECK(f.run_until([&] { return f.accelerator(1).tasks == 0; }));
  auto const third = arrives();
  CHECK(f.domain("one").accelerator() == 0);
}
