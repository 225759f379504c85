// SPDX-License-Identifier: Apache-2.0
// On the control groups of this machine, where they may be made: with root's rights, mostly.
#include "domA/daemon/memory_groups.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus::daemon;

namespace {

constexpr std::size_t mib = 1 << 20;

// A process of the group that touches so much memory and ends; how it ended.
int touch(MemoryGroup const& group, std::size_t bytes) {
  int ends[2]; // NOLINT(modernize-avoid-c-arrays)
  REQUIRE(pipe(ends) == 0);
  pid_t const child = fork();
  if (child == 0) {
    char go = 0;
    if (read(ends[0], &go, 1) != 1) _exit(1);
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    std::memset(memory, 1, bytes);
    _exit(0);
  }
  REQUIRE(child > 0);
  bool const taken = group.take(child);
  REQUIRE(write(ends[1], "g", 1) == 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(ends[0]);
  close(ends[1]);
  REQUIRE(taken);
  return status;
}

} // namespace

TEST_CASE("a group's processes have so much memory together, and nobody else is ended for it") {
  MemoryGroups const groups;
  auto small = groups.make(1), large = groups.make(2);
  REQUIRE(small);
  REQUIRE(large);
  CHECK(small->bounds() == groups.missing().empty());
  if (!small->bounds()) {
    WARN(groups.missing());
    CHECK(touch(*small, mib) == 0);
    return;
  }
  CHECK(small->limit(16 * mib));
  CHECK(large->limit(256 * mib));
  CHECK(touch(*small, 4 * mib) == 0);
  CHECK(small->ended() == 0);
  int const status = touch(*small, 64 * mib);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  CHECK(small->ended() == 1);
  CHECK(touch(*large, 64 * mib) == 0);
  CHECK(large->ended() == 0);
  CHECK(small->limit(256 * mib));
  CHECK(touch(*small, 64 * mib) == 0);
}

TEST_CASE("a group that bounds nothing takes everybody") {
  MemoryGroup none;
  CHECK_FALSE(none.bounds());
  CHECK(none.limit(1));
  CHECK(none.take(getpid()));
  CHECK(none.used_bytes() == 0);
  CHECK(none.ended() == 0);
}
