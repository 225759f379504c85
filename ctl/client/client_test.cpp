// SPDX-License-Identifier: Apache-2.0
// Tests the client against listeners that misbehave: it fails in time and says why.
#include "ctl/client/client.h"

#include "base/unique_fd.h"
#include "control/framing.h"
#include "ctl/process/temporary_directory.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace pegasus;
using namespace pegasus::ctl;
using namespace std::chrono_literals;

namespace {

// Listens, and serves one connection only when told to.
class Listener {
public:
  // `user`: its owner; only root can set another user.
  explicit Listener(std::string const& path, uid_t user = geteuid())
      : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(bind(socket_.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    uid_t const own = geteuid();
    REQUIRE(seteuid(user) == 0);
    REQUIRE(listen(socket_.get(), 4) == 0);
    REQUIRE(seteuid(own) == 0);
  }

  // Sends the answer before the request comes: the kernel keeps it.
  void answer(std::string const& bytes) {
    connection_ = pegasus::base::UniqueFd(accept(socket_.get(), nullptr, nullptr));
    REQUIRE(send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  void stop_sending() { shutdown(connection_.get(), SHUT_WR); }

private:
  pegasus::base::UniqueFd socket_;
  pegasus::base::UniqueFd connection_;
};

struct Fixture {
  TemporaryDirectory directory = std::move(TemporaryDirectory::create().value());
  Address address = address_of(directory.path());
  Listener listener{address.control};
  Client client = std::move(Client::connect(address, Access::change, 200ms).value());

  Result<control::Reply> ask() {
    control::Request request;
    request.mutable_policies();
    return client.ask(request, control::Reply::kPolicies);
  }
};

std::string framed(control::Reply const& reply) { return control::frame(reply.SerializeAsString()).value(); }

} // namespace

TEST_CASE_METHOD(Fixture, "an answer is read") {
  control::Reply reply;
  reply.mutable_policies()->add_policy()->set_name("accc");
  listener.answer(framed(reply) + framed(reply)); // without reading any byte of the next one
  CHECK(ask().value().policies().policy(0).name() == "accc");
  CHECK(ask().value().policies().policy(0).name() == "accc");
}

TEST_CASE_METHOD(Fixture, "what a refusal means is in its kind") {
  constexpr std::pair<control::ErrorKind, int> statuses[] = {
      {control::BAD_REQUEST, 2}, {control::FORBIDDEN, 3}, {control::NOT_NOW, 4}, {control::FAILED, 4}};
  std::string answers;
  for (auto const& [kind, status] : statuses) {
    control::Reply reply;
    reply.set_error("no");
    reply.set_error_kind(kind);
    answers += framed(reply);
  }
  listener.answer(answers);
  for (auto const& [kind, status] : statuses)
    CHECK(ask().error().exit_status() == status);
}

TEST_CASE_METHOD(Fixture,
                 "a refusal is the user's to correct, in the daemon's words, and safe for a terminal") {
  control::Reply reply;
  reply.set_error("there are: none, accc\x1b[2J");
  listener.answer(framed(reply));
  auto const answer = ask();
  CHECK(answer.error().kind == FailureKind::usage);
  CHECK(answer.error().message == "there are: none, accc?[2J");
}

TEST_CASE_METHOD(Fixture, "a daemon that says nothing is given up on") {
  CHECK(ask().error().kind == FailureKind::silent);
}

TEST_CASE_METHOD(Fixture, "half an answer is given up on") {
  listener.answer(std::string("\x20\0\0\0ab", 6));
  CHECK(ask().error().kind == FailureKind::silent);
}

TEST_CASE_METHOD(Fixture, "an end in the middle is told") {
  listener.answer(std::string("\x20\0\0\0ab", 6));
  listener.stop_sending();
  CHECK(ask().error().kind == FailureKind::broken);
}

TEST_CASE_METHOD(Fixture, "a message that is not a reply is reported") {
  SECTION("a length beyond all bounds") { listener.answer("HTTP/1.1 400 Bad Request"); }
  SECTION("no protobuf") { listener.answer(std::string("\x02\0\0\0\xff\xff", 6)); }
  SECTION("the answer to another question") {
    control::Reply reply;
    reply.mutable_done();
    listener.answer(framed(reply));
  }
  CHECK(ask().error().kind == FailureKind::broken);
}

TEST_CASE("no daemon, no socket, too long a path") {
  auto const directory = std::move(TemporaryDirectory::create().value());
  Address const address = address_of(directory.path());
  CHECK(Client::connect(address).error().kind == FailureKind::absent);
  { Listener const left_behind(address.control); }
  CHECK(Client::connect(address).error().kind == FailureKind::absent);
  CHECK(Client::connect(address_of("/" + std::string(200, 'x'))).error().kind == FailureKind::usage);
}

TEST_CASE("a daemon of another user is not believed") {
  if (geteuid() != 0) return;
  auto const directory = std::move(TemporaryDirectory::create().value());
  Address const address = address_of(directory.path());
  Listener const listener(address.control, 54321);
  for (Access const access : {Access::look, Access::change}) {
    auto const client = Client::connect(address, access);
    REQUIRE_FALSE(client);
    CHECK(client.error().exit_status() == 3);
    CHECK(client.error().message == address.control +
                                        " belongs to user 54321, who is neither root nor you: use "
                                        "root's daemon or one of your own");
  }
}

TEST_CASE("of the default places, the first with a daemon is taken") {
  auto const directory = std::move(TemporaryDirectory::create().value());
  Address const none = address_of(directory.path() + "/none/");
  Address const some = address_of(directory.path());
  Listener const listener(some.control);
  CHECK(Client::connect(Addresses{{none, some}, false}).value().address() == some);
  auto const nowhere = Client::connect(Addresses{{none}, false});
  CHECK(nowhere.error().kind == FailureKind::absent);
  CHECK(nowhere.error().message.find(none.control) != std::string::npos);
  CHECK(nowhere.error().exit_status() == 3);
}
