// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/local/local_transport.h"

#include "base/unique_fd.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pegasus::frontend;
using pegasus::base::UniqueFd;

namespace {

// What a guest sent, and how many bytes that were.
struct Sent {
  pegasus_connect_request request{};
  std::size_t bytes = 0;
};

// A daemon that answers one connection after the other, each by its own rule.
class Daemon {
public:
  using Answer = std::function<std::vector<std::byte>(Sent const&)>; // with pages unless it is an error

  explicit Daemon(std::vector<Answer> answers) : answers_(std::move(answers)) {
    directory_ = (std::filesystem::temp_directory_path() / "pegasus-transport-XXXXXX").string();
    REQUIRE(mkdtemp(directory_.data()) != nullptr);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s/guest.sock", directory_.c_str());
    REQUIRE(bind(socket_.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    REQUIRE(listen(socket_.get(), 1) == 0);
    setenv("PEGASUS_SOCKET", address.sun_path, 1);
    thread_ = std::thread([this] {
      for (Answer const& answer : answers_)
        serve(answer);
    });
  }
  ~Daemon() {
    (void)shutdown(socket_.get(), SHUT_RDWR); // if fewer connected than were expected
    if (thread_.joinable()) thread_.join();
    unlink((directory_ + "/guest.sock").c_str());
    rmdir(directory_.c_str());
  }
  Daemon(Daemon const&) = delete;
  Daemon& operator=(Daemon const&) = delete;

  // How a program fares with it; what the daemon was sent meanwhile is in `sent`.
  struct Outcome {
    std::unique_ptr<LocalTransport> transport;
    TransportError error{};
  };
  Outcome connect() {
    Outcome outcome;
    outcome.transport.reset(LocalTransport::open(PEGASUS_CONNECT_TASK, outcome.error));
    (void)shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
    if (outcome.transport != nullptr) {
      munmap(outcome.transport->memory(), outcome.transport->connect_reply().channel_bytes);
      outcome.transport->abandon();
    }
    return outcome;
  }
  std::vector<Sent> sent;

private:
  void serve(Answer const& answer) {
    UniqueFd const guest(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (guest.get() < 0) return;
    Sent got;
    std::byte packet[PEGASUS_CONNECT_BYTES_MAX];
    ssize_t const length = recv(guest.get(), packet, sizeof packet, 0);
    if (length <= 0) return;
    got.bytes = static_cast<std::size_t>(length);
    std::memcpy(&got.request, packet, std::min(got.bytes, sizeof got.request));
    sent.push_back(got);
    std::vector<std::byte> reply = answer(got);
    UniqueFd const pages(memfd_create("pages", MFD_CLOEXEC));
    (void)!ftruncate(pages.get(), page_bytes);
    UniqueFd const window(memfd_create("window", MFD_CLOEXEC));
    (void)!ftruncate(window.get(), window_bytes);
    int const files[] = {pages.get(), window.get()};
    std::size_t const sent_bytes = sends_window ? sizeof files : sizeof files[0];
    iovec part{reply.data(), reply.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)]{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sent_bytes);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sent_bytes);
    std::memcpy(CMSG_DATA(header), files, sent_bytes);
    (void)sendmsg(guest.get(), &message, MSG_NOSIGNAL);
  }

public:
  static constexpr std::uint32_t page_bytes = 4096;
  static constexpr std::uint32_t window_bytes = 16384;
  bool sends_window = false;

private:
  UniqueFd socket_{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  std::string directory_;
  std::vector<Answer> answers_;
  std::thread thread_;
};

std::vector<std::byte> reply_of(std::uint32_t version, std::uint32_t error = 0, char const* message = "",
                                std::size_t bytes = sizeof(pegasus_connect_reply)) {
  pegasus_connect_reply reply{};
  reply.magic = PEGASUS_CONNECT_REPLY_MAGIC;
  reply.version = version;
  reply.error = error;
  reply.channel_bytes = Daemon::page_bytes;
  std::snprintf(reply.message, sizeof reply.message, "%s", message);
  std::vector<std::byte> packet(bytes, std::byte{0x5a});
  std::memcpy(packet.data(), &reply, std::min(bytes, sizeof reply));
  return packet;
}

// As pegasusd of version 1 did: any other version, and any other size, is refused.
std::vector<std::byte> as_version_1(Sent const& sent) {
  if (sent.request.version != 1)
    return reply_of(1, EPROTONOSUPPORT, "protocol version 2 is not spoken here, version 1 is");
  return sent.bytes == 152 ? reply_of(1) : reply_of(1, EPROTO, "the connect request is not 152 bytes");
}

} // namespace

TEST_CASE("a program names its range of versions and takes the one that is chosen") {
  std::uint32_t const chosen = GENERATE(1u, 2u);
  Daemon daemon({[&](Sent const&) { return reply_of(chosen); }});
  auto const outcome = daemon.connect();
  REQUIRE(outcome.transport != nullptr);
  CHECK(outcome.transport->connect_reply().version == chosen);
  REQUIRE(daemon.sent.size() == 1);
  CHECK(daemon.sent[0].bytes == sizeof(pegasus_connect_request));
  CHECK(daemon.sent[0].request.version == PEGASUS_PROTOCOL_VERSION);
  CHECK(daemon.sent[0].request.oldest == PEGASUS_PROTOCOL_OLDEST);
  CHECK(daemon.sent[0].request.features == PEGASUS_FEATURE_HOST_WINDOW);
}

TEST_CASE("a host window is mapped where kernels have it; if that cannot be, there is none") {
  auto* const window = reinterpret_cast<char*>(std::uintptr_t{PEGASUS_HOST_WINDOW});
  auto const share = [](std::uint64_t bytes) {
    Daemon daemon({[bytes](Sent const&) {
      std::vector<std::byte> packet = reply_of(2);
      std::memcpy(&packet[offsetof(pegasus_connect_reply, host_window_bytes)], &bytes, sizeof bytes);
      return packet;
    }});
    daemon.sends_window = true;
    auto const outcome = daemon.connect();
    REQUIRE(outcome.transport != nullptr);
    return outcome.transport->host_window_bytes();
  };
  CHECK(share(0) == 0);
  CHECK(share(Daemon::window_bytes + 1) == 0); // more than the file has
  CHECK(share(~std::uint64_t{0}) == 0);

  REQUIRE(share(Daemon::window_bytes) == Daemon::window_bytes);
  window[Daemon::window_bytes - 1] = 1;
  CHECK(share(Daemon::window_bytes) == 0); // its addresses are taken
  CHECK(window[Daemon::window_bytes - 1] == 1);
  CHECK(munmap(window, Daemon::window_bytes) == 0);
}

TEST_CASE("pegasusd of version 1 is asked again in version 1, at once and for good") {
  Daemon daemon(
      {as_version_1, [](Sent const&) { return reply_of(1, PEGASUS_ASK_AGAIN, "later"); }, as_version_1});
  auto const outcome = daemon.connect();
  REQUIRE(outcome.transport != nullptr);
  CHECK(outcome.transport->connect_reply().version == 1);
  REQUIRE(daemon.sent.size() == 3);
  for (std::size_t const again : {1u, 2u}) {
    CHECK(daemon.sent[again].request.version == 1);
    CHECK(daemon.sent[again].bytes == 152);
  }
}

TEST_CASE("a refusal in version 1 is not asked again twice") {
  auto const refuses = [](Sent const&) { return reply_of(1, EPROTONOSUPPORT, "no version at all"); };
  Daemon daemon({refuses, refuses, refuses});
  auto const outcome = daemon.connect();
  CHECK(outcome.transport == nullptr);
  CHECK(daemon.sent.size() == 2);
  CHECK(outcome.error.status == version_mismatch);
}

TEST_CASE("a reply in a version that is not spoken is refused in a sentence with both ranges") {
  Daemon daemon({[](Sent const&) { return reply_of(9); }});
  auto const outcome = daemon.connect();
  CHECK(outcome.transport == nullptr);
  CHECK(outcome.error.status == version_mismatch);
  CHECK(std::string(outcome.error.message) == "the accelerator daemon answers in protocol version 9, this "
                                              "library speaks versions 1 to 2: upgrade the "
                                              "guest libraries");
}

TEST_CASE("a refusal for want of a common version is pegasusd's own sentence") {
  Daemon daemon({[](Sent const&) { return reply_of(9, EPROTONOSUPPORT, "1 to 2 here, 7 to 9 there"); }});
  auto const outcome = daemon.connect();
  CHECK(outcome.transport == nullptr);
  CHECK(daemon.sent.size() == 1);
  CHECK(outcome.error.status == version_mismatch);
  CHECK(std::string(outcome.error.message) ==
        "the accelerator daemon refused this program: 1 to 2 here, 7 to 9 there");
}

TEST_CASE("a longer reply is taken, a shorter one than version 1's is not") {
  std::size_t const bytes = GENERATE(as<std::size_t>(), 1216, 1217, 4096, 1215, 8);
  bool const right = bytes >= 1216;
  INFO(bytes);
  Daemon daemon({[bytes](Sent const&) { return reply_of(2, 0, "", bytes); }});
  auto const outcome = daemon.connect();
  CHECK((outcome.transport != nullptr) == right);
  if (!right) CHECK(outcome.error.status == version_mismatch);
}
