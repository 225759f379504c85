// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/directory.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace pegasus::daemon;
namespace fs = std::filesystem;

namespace {

struct Directory {
  Directory() {
    path = fs::temp_directory_path() / "pegasus-directory-XXXXXX";
    REQUIRE(mkdtemp(path.data()) != nullptr);
  }
  ~Directory() { fs::remove_all(path); }
  [[nodiscard]] std::string socket() const { return path + "/a.sock"; }
  std::string path;
};

} // namespace

TEST_CASE("a socket of a certain mode has it whatever the umask") {
  Directory const directory;
  mode_t const before = umask(0);
  auto const listener = listen_at(directory.socket(), SOCK_STREAM, 0600);
  umask(before);
  REQUIRE(listener);
  CHECK((fs::status(directory.socket()).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a dead daemon's socket is replaced") {
  Directory const directory;
  { REQUIRE(listen_at(directory.socket(), SOCK_STREAM)); } // closed, its file stays
  REQUIRE(fs::exists(directory.socket()));
  CHECK(listen_at(directory.socket(), SOCK_SEQPACKET));
}

TEST_CASE("a directory is one daemon's at a time, and free when that one is gone") {
  Directory const directory;
  {
    auto const first = claim_directory(directory.path);
    REQUIRE(first);
    auto const second = claim_directory(directory.path);
    REQUIRE_FALSE(second);
    CHECK(second.error() == "another pegasusd already serves " + directory.path);
  }
  CHECK(claim_directory(directory.path));
}

TEST_CASE("a directory that cannot be made or written is named, with the option that chooses another") {
  for (std::string const path : {"/no/such/parent/pegasus", "/proc/self"}) {
    auto const claim = claim_directory(path);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().find(path) != std::string::npos);
    CHECK(claim.error().find("--directory") != std::string::npos);
  }
}

TEST_CASE("a private daemon's directory goes with it, a public one's stays, without sockets") {
  for (bool const whole : {false, true}) {
    Directory const directory;
    auto const claim = claim_directory(directory.path);
    auto const guests = listen_at(directory.path + guest_socket, SOCK_SEQPACKET);
    auto const control = listen_at(directory.path + control_socket, SOCK_STREAM);
    REQUIRE((claim && guests && control));
    clean_directory(directory.path, whole);
    CHECK(fs::exists(directory.path) != whole);
    CHECK_FALSE(fs::exists(directory.path + guest_socket));
    CHECK_FALSE(fs::exists(directory.path + control_socket));
  }
}
