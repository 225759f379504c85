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

TEST_CASE("a dead daemon's socket is replaced, a living one's is not, whatever its type") {
  Directory const directory;
  { REQUIRE(listen_at(directory.socket(), SOCK_STREAM)); } // closed, its file stays
  REQUIRE(fs::exists(directory.socket()));
  auto const living = listen_at(directory.socket(), SOCK_STREAM);
  REQUIRE(living);
  CHECK_FALSE(listen_at(directory.socket(), SOCK_STREAM));
  CHECK_FALSE(listen_at(directory.socket(), SOCK_SEQPACKET));
  CHECK(fs::exists(directory.socket()));
}
