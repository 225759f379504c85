// SPDX-License-Identifier: Apache-2.0
// The test plays xenstore: its answer waits in a socket before the request is sent, and the request
// is checked afterwards.
#include "frontend/transport/xen/xenstore.h"

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using namespace pegasus::frontend;

namespace {

enum Type : std::uint32_t {
  directory = 1,
  read = 2,
  watch = 4,
  write = 11,
  rm = 13,
  watch_event = 15,
  error = 16
};

std::string message(std::uint32_t type, std::string const& payload, std::uint32_t bytes) {
  std::array<std::uint32_t, 4> const header{type, 0, 0, bytes};
  return std::string(reinterpret_cast<char const*>(header.data()), sizeof header) + payload;
}
std::string message(std::uint32_t type, std::string const& payload) {
  return message(type, payload, static_cast<std::uint32_t>(payload.size()));
}

// The other end of the client's descriptor.
class Peer {
public:
  explicit Peer(int type = SOCK_STREAM) {
    std::signal(SIGPIPE, SIG_IGN); // a device file raises no SIGPIPE
    REQUIRE(socketpair(AF_UNIX, type, 0, ends_) == 0);
  }
  ~Peer() { close(); }
  Peer(Peer const&) = delete;
  Peer& operator=(Peer const&) = delete;

  [[nodiscard]] int client() const { return ends_[0]; } // the client closes it
  void say(std::string const& bytes) {
    REQUIRE(::write(ends_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  void say_no_more() { REQUIRE(shutdown(ends_[1], SHUT_WR) == 0); }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  // All requests so far.
  std::string heard() {
    std::array<char, 16384> bytes;
    ssize_t const got = recv(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
  }

private:
  int ends_[2];
};

std::string const zero(1, '\0');

} // namespace

TEST_CASE("read, and the question's bytes") {
  Peer peer;
  Xenstore store(peer.client());
  std::string value = "old";
  peer.say(message(Type::read, "4294967295")); // not terminated
  CHECK(store.read("device/vaccel/0/state", value));
  CHECK(value == "4294967295");
  CHECK(peer.heard() == message(Type::read, "device/vaccel/0/state" + zero));
  peer.say(message(Type::read, ""));
  CHECK(store.read("a", value));
  CHECK(value.empty());
}

TEST_CASE("list") {
  Peer peer;
  Xenstore store(peer.client());
  auto const [payload, expected] = GENERATE(table<std::string, std::vector<std::string>>({
      {"0" + zero + "12" + zero, {"0", "12"}},
      {"", {}},
      {"0" + zero + "unfinished", {"0", "unfinished"}},
      {zero + zero, {"", ""}},
  }));
  std::vector<std::string> names{"old"};
  peer.say(message(Type::directory, payload));
  CHECK(store.list("device/vaccel", names));
  CHECK(names == expected);
  CHECK(peer.heard() == message(Type::directory, "device/vaccel" + zero));
}

TEST_CASE("write, remove and watch") {
  Peer peer;
  Xenstore store(peer.client());
  peer.say(message(Type::write, "OK" + zero) + message(Type::rm, "OK" + zero) +
           message(Type::watch, "OK" + zero));
  CHECK(store.write("t/state", "3"));
  CHECK(peer.heard() == message(Type::write, "t/state" + zero + "3"));
  CHECK(store.remove("t"));
  CHECK(peer.heard() == message(Type::rm, "t" + zero));
  CHECK(store.watch("t/state"));
  CHECK(peer.heard() == message(Type::watch, "t/state" + zero + "pegasus" + zero));
}

TEST_CASE("errors are named, and the next question is answered") {
  Peer peer;
  Xenstore store(peer.client());
  auto const [name, number] = GENERATE(table<std::string, int>({
      {"ENOENT", ENOENT},
      {"EACCES", EACCES},
      {"ENOSPC", ENOSPC},
      {"EQUOTA", EDQUOT},
      {"E2BIG", E2BIG},
      {"EINVAL", EINVAL},
      {"ENOMEM", ENOMEM},
      {"EROFS", EROFS},
      {"EEXIST", EEXIST},
      {"EWHATEVER", EIO},
      {"", EIO},
  }));
  INFO(name);
  peer.say(message(Type::error, name + zero) + message(Type::read, "x"));
  std::string value;
  errno = 0;
  CHECK_FALSE(store.read("a", value));
  CHECK(errno == number);
  CHECK(store.read("a", value));
  CHECK(value == "x");
}

TEST_CASE("a watch that fires between a question and its answer is not forgotten") {
  Peer peer;
  Xenstore store(peer.client());
  std::string const event = message(Type::watch_event, "t/state" + zero + "pegasus" + zero);
  peer.say(event + event + message(Type::read, "4"));
  std::string value;
  CHECK(store.read("t/state", value));
  CHECK(value == "4");
  CHECK(store.wait(0)); // the two events count as one change
  CHECK_FALSE(store.wait(0));
  peer.say(event);
  CHECK(store.wait(60'000));
  CHECK_FALSE(store.wait(0));
  peer.say(message(Type::read, "5")); // an answer without a request
  CHECK_FALSE(store.wait(60'000));
}

TEST_CASE("an answer in pieces") {
  Peer peer(SOCK_SEQPACKET); // each piece is read by itself
  Xenstore store(peer.client());
  std::string const answer = message(Type::read, "abcdef");
  for (auto const& [from, bytes] : {std::pair(0, 1), {1, 14}, {15, 1}, {16, 2}, {18, 4}})
    peer.say(answer.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(bytes)));
  std::string value;
  CHECK(store.read("a", value));
  CHECK(value == "abcdef");
}

TEST_CASE("the largest answer is taken") {
  Peer peer;
  Xenstore store(peer.client());
  std::string const largest(4096, 'x');
  peer.say(message(Type::read, largest) + message(Type::read, "next"));
  std::string value;
  CHECK(store.read("a", value));
  CHECK(value == largest);
  CHECK(store.read("a", value));
  CHECK(value == "next");
}

TEST_CASE("a request that is too large is not sent") {
  Peer peer;
  Xenstore store(peer.client());
  errno = 0;
  CHECK_FALSE(store.write("a", std::string(4096, 'x')));
  CHECK(errno == E2BIG);
  CHECK(peer.heard().empty());
  peer.say(message(Type::write, "OK" + zero));
  CHECK(store.write("a", std::string(4094, 'x')));
}

TEST_CASE("after an invalid answer nothing is asked any more") {
  auto const [what, answer] = GENERATE(table<std::string, std::string>({
      {"one byte too large", message(Type::read, std::string(4097, 'x'))},
      {"too large by far", message(Type::read, "", 0xffffffff)},
      {"to another question", message(Type::directory, "0" + zero)},
      {"of no known type", message(99, "")},
  }));
  INFO(what);
  Peer peer;
  Xenstore store(peer.client());
  peer.say(answer + message(Type::read, "x"));
  std::string value;
  errno = 0;
  CHECK_FALSE(store.read("a", value));
  CHECK(errno == EIO);
  (void)peer.heard();
  errno = 0;
  CHECK_FALSE(store.read("a", value));
  CHECK(errno != 0);
  CHECK(peer.heard().empty());
  CHECK_FALSE(store.wait(0));
}

TEST_CASE("a peer that ends") {
  Peer peer;
  Xenstore store(peer.client());
  std::string value;
  errno = 0;
  SECTION("before the answer") { peer.say_no_more(); }
  SECTION("in the answer's header") {
    peer.say(message(Type::read, "").substr(0, 15));
    peer.say_no_more();
  }
  SECTION("in the answer") {
    peer.say(message(Type::read, "abc", 4));
    peer.say_no_more();
  }
  SECTION("before the question") { peer.close(); }
  CHECK_FALSE(store.read("a", value));
  CHECK(errno != 0);
  CHECK_FALSE(store.wait(0));
  CHECK_FALSE(store.write("a", "b"));
}

TEST_CASE("a peer's end during a wait is not taken for a watch that fires") {
  Peer peer;
  Xenstore store(peer.client());
  peer.close();
  CHECK_FALSE(store.wait(60'000));
}

TEST_CASE("a store that is not open answers nothing") {
  Xenstore store;
  std::string value;
  errno = 0;
  CHECK_FALSE(store.read("a", value));
  CHECK(errno == EBADF);
  CHECK_FALSE(store.wait(0));
}

TEST_CASE("a program's signals shorten no wait") {
  using namespace std::chrono;
  Peer peer;
  Xenstore store(peer.client());
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  REQUIRE(sigaction(SIGALRM, &action, &before) == 0);
  itimerval const each_millisecond{{0, 1000}, {0, 1000}};
  itimerval const never{};
  REQUIRE(setitimer(ITIMER_REAL, &each_millisecond, nullptr) == 0);
  auto const start = steady_clock::now();
  bool const fired = store.wait(30);
  auto const waited = steady_clock::now() - start;
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  CHECK_FALSE(fired);
  CHECK(waited >= milliseconds(30));
}
