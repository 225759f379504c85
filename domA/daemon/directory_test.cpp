// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/directory.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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
  auto const listener = listen_at(directory.socket(), SOCK_STREAM, {.mode = 0600, .group = {}});
  umask(before);
  REQUIRE(listener);
  CHECK((fs::status(directory.socket()).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a socket of a group is open to its group only") {
  Directory const directory;
  gid_t const group = geteuid() == 0 ? 54321 : getegid();
  REQUIRE(listen_at(directory.socket(), SOCK_STREAM, {.mode = 0660, .group = group}));
  struct stat status {};
  REQUIRE(stat(directory.socket().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0660);
  CHECK(status.st_gid == group);
}

TEST_CASE("a dead daemon's socket is replaced") {
  Directory const directory;
  { REQUIRE(listen_at(directory.socket(), SOCK_STREAM)); } // closed; its file stays
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
    CHECK(second.error().kind == StartError::Kind::machine); // it may be about to end
    CHECK(second.error().message == "another pegasusd already serves " + directory.path);
  }
  CHECK(claim_directory(directory.path));
}

TEST_CASE("a directory that cannot be made or written is named, with the option that chooses another") {
  for (std::string const path : {"/no/such/parent/pegasus", "/proc/self"}) {
    auto const claim = claim_directory(path);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().kind == StartError::Kind::configuration);
    CHECK(claim.error().message.find(path) != std::string::npos);
    CHECK(claim.error().message.find("--directory") != std::string::npos);
  }
}

TEST_CASE("a directory that others may write to is refused, and is not changed") {
  Directory const directory;
  for (mode_t const mode : {0775u, 0757u, 01777u}) {
    REQUIRE(chmod(directory.path.c_str(), mode) == 0);
    auto const claim = claim_directory(directory.path);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().message.find("others may write to the directory " + directory.path) == 0);
    CHECK(fs::is_empty(directory.path));
  }
}

TEST_CASE("a directory of another user is refused, root's is not") {
  if (geteuid() != 0) return; // only root can give one away
  Directory const directory;
  REQUIRE(chown(directory.path.c_str(), 54321, 54321) == 0);
  auto const claim = claim_directory(directory.path);
  REQUIRE_FALSE(claim);
  CHECK(claim.error().message.find("belongs to user 54321") != std::string::npos);
  REQUIRE(chown(directory.path.c_str(), 0, 0) == 0);
  CHECK(claim_directory(directory.path));
}

TEST_CASE("a symbolic link to a directory is refused, with and without a slash") {
  Directory const directory;
  std::string const link = directory.path + "/link";
  fs::create_directory(directory.path + "/real");
  fs::create_symlink("real", link);
  for (std::string const& path : {link, link + "/", link + "//"}) {
    auto const claim = claim_directory(path);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().message.find("symbolic link") != std::string::npos);
  }
  CHECK(fs::is_empty(directory.path + "/real"));
}

TEST_CASE("a group passes a directory that is closed to it, and no other group does") {
  Directory const directory; // 0700
  gid_t const group = geteuid() == 0 ? 54321 : getegid();
  REQUIRE(claim_directory(directory.path, group));
  struct stat status {};
  REQUIRE(stat(directory.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0710);
  CHECK(status.st_gid == group);
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
