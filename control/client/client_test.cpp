// SPDX-License-Identifier: Apache-2.0
// Tests the client against listeners that misbehave: it fails in time and says why.
#include "control/client/client.h"

#include "base/unique_fd.h"
#include "control/framing.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace pegasus::control;
using namespace std::chrono_literals;

namespace {

// A new directory, removed with its contents.
struct Directory {
  std::string path = (std::filesystem::temp_directory_path() / "client-XXXXXX").string();
  Directory() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Directory() { std::filesystem::remove_all(path); }
  Directory(Directory const&) = delete;
  Directory& operator=(Directory const&) = delete;
};

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
  Directory directory;
  Address address = address_of(directory.path);
  Listener listener{address.control};
  Client client = std::move(Client::connect(address, Access::change, 200ms).value());

  ClientResult<Reply> ask() {
    Request request;
    request.mutable_policies();
    return client.ask(request, Reply::kPolicies);
  }
};

std::string framed(Reply const& reply) { return frame(reply.SerializeAsString()).value(); }

} // namespace

TEST_CASE_METHOD(Fixture, "an answer is read") {
  Reply reply;
  reply.mutable_policies()->add_policy()->set_name("accc");
  listener.answer(framed(reply) + framed(reply)); // without reading any byte of the next one
  CHECK(ask().value().policies().policy(0).name() == "accc");
  CHECK(ask().value().policies().policy(0).name() == "accc");
}

TEST_CASE_METHOD(Fixture, "what a refusal means is in its kind, why in the daemon's words") {
  constexpr std::pair<ErrorKind, ClientErrorKind> kinds[] = {{BAD_REQUEST, ClientErrorKind::usage},
                                                             {FORBIDDEN, ClientErrorKind::forbidden},
                                                             {NOT_NOW, ClientErrorKind::refused},
                                                             {FAILED, ClientErrorKind::refused}};
  std::string answers;
  for (auto const& [sent, told] : kinds) {
    Reply reply;
    reply.set_error("there are: none, accc");
    reply.set_error_kind(sent);
    answers += framed(reply);
  }
  listener.answer(answers);
  for (auto const& [sent, told] : kinds) {
    auto const answer = ask();
    CHECK(answer.error().kind == told);
    CHECK(answer.error().message == "there are: none, accc");
  }
}

TEST_CASE_METHOD(Fixture, "a daemon that says nothing is given up on") {
  CHECK(ask().error().kind == ClientErrorKind::silent);
}

TEST_CASE_METHOD(Fixture, "half an answer is given up on") {
  listener.answer(std::string("\x20\0\0\0ab", 6));
  CHECK(ask().error().kind == ClientErrorKind::silent);
}

TEST_CASE_METHOD(Fixture, "an end in the middle is told") {
  listener.answer(std::string("\x20\0\0\0ab", 6));
  listener.stop_sending();
  CHECK(ask().error().kind == ClientErrorKind::broken);
}

TEST_CASE_METHOD(Fixture, "a message that is not a reply is reported") {
  SECTION("a length beyond all bounds") { listener.answer("HTTP/1.1 400 Bad Request"); }
  SECTION("no protobuf") { listener.answer(std::string("\x02\0\0\0\xff\xff", 6)); }
  SECTION("the answer to another question") {
    Reply reply;
    reply.mutable_done();
    listener.answer(framed(reply));
  }
  CHECK(ask().error().kind == ClientErrorKind::broken);
}

TEST_CASE("no daemon, no socket, too long a path") {
  Directory const directory;
  Address const address = address_of(directory.path);
  CHECK(Client::connect(address).error().kind == ClientErrorKind::absent);
  { Listener const left_behind(address.control); }
  CHECK(Client::connect(address).error().kind == ClientErrorKind::absent);
  CHECK(Client::connect(address_of("/" + std::string(200, 'x'))).error().kind == ClientErrorKind::usage);
}

TEST_CASE("a daemon of another user is not believed") {
  if (geteuid() != 0) return;
  Directory const directory;
  Address const address = address_of(directory.path);
  Listener const listener(address.control, 54321);
  for (Access const access : {Access::look, Access::change}) {
    auto const client = Client::connect(address, access);
    REQUIRE_FALSE(client);
    CHECK(client.error().kind == ClientErrorKind::broken);
    CHECK(client.error().message == address.control +
                                        " belongs to user 54321, who is neither root nor you: use "
                                        "root's daemon or one of your own");
  }
}

TEST_CASE("of the default places, the first with a daemon is taken") {
  Directory const directory;
  Address const none = address_of(directory.path + "/none/");
  Address const some = address_of(directory.path);
  Listener const listener(some.control);
  CHECK(Client::connect(Addresses{{none, some}, false}).value().address() == some);
  auto const nowhere = Client::connect(Addresses{{none}, false});
  CHECK(nowhere.error().kind == ClientErrorKind::absent);
  CHECK(nowhere.error().message.find(none.control) != std::string::npos);
}
