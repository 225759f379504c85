// SPDX-License-Identifier: Apache-2.0
#include "base/unique_fd.h"
#include "domA/guests/local/identity.h"

#include "domA/guests/local/peer_process.h"

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus;
using namespace pegasus::local;
namespace fs = std::filesystem;

namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    one = pegasus::base::UniqueFd(ends[0]);
    other = pegasus::base::UniqueFd(ends[1]);
  }
  pegasus::base::UniqueFd one, other;
};

std::string text_of_file(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct PasswdFile {
  explicit PasswdFile(std::string const& text) {
    path = fs::temp_directory_path() / "pegasus-passwd-XXXXXX";
    pegasus::base::UniqueFd const file(mkstemp(path.data()));
    REQUIRE(write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  ~PasswdFile() { fs::remove(path); }
  PasswdFile(PasswdFile const&) = delete;
  PasswdFile& operator=(PasswdFile const&) = delete;
  std::string path;
};

} // namespace

TEST_CASE("named: a program's domain is the one it names") {
  CHECK(decide_domain(DomainsBy::named, "", "web").value() == "web");
  CHECK(decide_domain(DomainsBy::named, "", "").value() == "default");
}

TEST_CASE("user and cgroup: a program is where it belongs, and may say so") {
  for (DomainsBy const by : {DomainsBy::user, DomainsBy::cgroup}) {
    CHECK(decide_domain(by, "alice", "").value() == "alice");
    CHECK(decide_domain(by, "alice", "alice").value() == "alice");
    auto const refused = decide_domain(by, "alice", "bob");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().error == EPERM);
  }
  CHECK(decide_domain(DomainsBy::user, "alice", "bob").error().message ==
        "this program's domain is alice, by its user, not bob: name alice or no domain");
  CHECK(decide_domain(DomainsBy::cgroup, "job-1", "job-2").error().message ==
        "this program's domain is job-1, by its cgroup, not job-2: name job-1 or no domain");
}

TEST_CASE("no two users have one domain") {
  CHECK(domain_of_user(7, "alice") == "alice");
  CHECK(domain_of_user(7, std::nullopt) == "uid-7");
  CHECK(domain_of_user(7, "uid-8") == "uid-7");
  CHECK(domain_of_user(7, "uid-") == "uid-7");
  CHECK(domain_of_user(7, "uid-x") == "uid-x");
  for (char const* const no_domain : {"", "-a", ".a", "a b", "a/b", "LAB\\alice", "alice$"})
    CHECK(domain_of_user(7, no_domain) == "uid-7");
}

TEST_CASE("the three ways have names") {
  for (DomainsBy const by : {DomainsBy::named, DomainsBy::user, DomainsBy::cgroup})
    CHECK(domains_by(text_of(by)) == by);
  CHECK_FALSE(domains_by("users"));
}

TEST_CASE("login names come from the file") {
  PasswdFile const file(
      "root:x:0:0::/:/bin/sh\nalice:x:1001:100:A,,,:/:/bin/sh\nalias:x:1001:1::/:/bin/sh\n");
  CHECK(login_name(0, file.path) == "root");
  CHECK(login_name(1001, file.path) == "alice");
  CHECK_FALSE(login_name(1002, file.path));
  CHECK_FALSE(login_name(0, "/no/such/file"));
}

TEST_CASE("the kernel names the process that connected, and its control groups are read") {
  Pair const pair;
  auto const peer = peer_of(pair.one.get());
  REQUIRE(peer);
  CHECK(peer->pid == getpid());
  CHECK(peer->user == geteuid());
  CHECK(cgroups_of(pair.one.get(), *peer).value() == text_of_file("/proc/self/cgroup"));
  CHECK_FALSE(cgroups_of(pair.one.get(), {.pid = 0, .user = 0}));
}

TEST_CASE("what is not a socket names no peer") { CHECK_FALSE(peer_of(-1)); }

TEST_CASE("neither the number nor the socket of a process that has ended names another") {
  Pair listener; // its ends are not used: a socket that a child makes has the child's credentials
  pegasus::base::UniqueFd mine;
  pid_t const child = fork();
  if (child == 0) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) _exit(1);
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    *reinterpret_cast<int*>(CMSG_DATA(header)) = ends[0];
    _exit(sendmsg(listener.other.get(), &message, 0) == 1 ? 0 : 1);
  }
  REQUIRE(child > 0);
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  REQUIRE(recvmsg(listener.one.get(), &message, MSG_CMSG_CLOEXEC) == 1);
  mine = pegasus::base::UniqueFd(*reinterpret_cast<int*>(CMSG_DATA(CMSG_FIRSTHDR(&message))));
  auto const peer = peer_of(mine.get());
  REQUIRE(peer);
  CHECK(peer->pid == child);
  siginfo_t ended{};
  // a zombie keeps its number
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(cgroups_of(mine.get(), *peer).error() == "the process that connected has ended");
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(cgroups_of(mine.get(), *peer).error() == "the process that connected has ended");
  // Another process in its place, as if the number had been reused: the kernel knows which process connected.
  CHECK_FALSE(cgroups_of(mine.get(), {.pid = getpid(), .user = geteuid()}));
}
