// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/child.h"

#include "base/unique_fd.h"
#include "ctl/process/environment.h"
#include "ctl/process/signal_watch.h"
#include "ctl/process/temporary_directory.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

using namespace pegasus::ctl;
using namespace std::chrono_literals;

namespace {

Spawn shell(std::string const& script) {
  Spawn spawn;
  spawn.program = "/bin/sh";
  spawn.arguments = {"sh", "-c", script};
  spawn.environment = current_environment();
  return spawn;
}

} // namespace

TEST_CASE("exit statuses and signals come back") {
  CHECK(Child::start(shell("exit 7")).value().wait().exit_code() == 7);
  Ended const killed = Child::start(shell("kill -9 $$")).value().wait();
  CHECK(killed.by_signal());
  CHECK(killed.signal() == SIGKILL);
  CHECK(killed.exit_code() == 137);
}

TEST_CASE("a program that cannot be executed is found before it is started") {
  Spawn spawn = shell("");
  spawn.program = "/nowhere/at/all";
  CHECK(Child::start(spawn).error() == ENOENT);
  spawn.program = "/";
  CHECK(Child::start(spawn).error() == EACCES);
}

TEST_CASE("output goes where it should, and only what is passed stays open") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  pegasus::base::UniqueFd const reader(ends[0]);
  pegasus::base::UniqueFd writer(ends[1]);
  Spawn spawn = shell("echo out; test -e /proc/self/fd/" + std::to_string(reader.get()) +
                      " && echo leaked; echo x >&" + std::to_string(writer.get()));
  spawn.output = writer.get();
  spawn.passed_fd = writer.get();
  CHECK(Child::start(spawn).value().wait().exit_code() == 0);
  writer.reset();
  char text[32] = {};
  CHECK(read(reader.get(), text, sizeof text - 1) == 6);
  CHECK(std::string(text) == "out\nx\n");
}

TEST_CASE("a child is ended by SIGTERM, or else by SIGKILL, also by the destructor") {
  CHECK(Child::start(shell("exec sleep 1000")).value().stop(10s).signal() == SIGTERM);
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  pegasus::base::UniqueFd const reader(ends[0]);
  pegasus::base::UniqueFd writer(ends[1]);
  Spawn stubborn = shell("trap '' TERM; echo; exec sleep 1000");
  stubborn.output = writer.get();
  auto child = Child::start(stubborn);
  writer.reset();
  char byte = 0;
  REQUIRE(read(reader.get(), &byte, 1) == 1); // the trap is set
  CHECK(child.value().stop(50ms).signal() == SIGKILL);
  pid_t left = 0;
  { left = Child::start(shell("exec sleep 1000")).value().pid(); }
  CHECK(kill(left, 0) == -1);
}

TEST_CASE("the end of a child and other signals wake the watch, and children start unblocked") {
  SignalWatch watch;
  Spawn spawn = shell("grep -q '^SigBlk:.*0000000000000000$' /proc/self/status");
  spawn.mask = &watch.original_mask();
  auto child = Child::start(spawn);
  CHECK(watch.wait().number == SIGCHLD);
  CHECK(child.value().wait().exit_code() == 0);
  kill(getpid(), SIGTERM);
  auto const seen = watch.wait(10s);
  REQUIRE(seen);
  CHECK(seen->number == SIGTERM);
  CHECK_FALSE(seen->from_terminal);
  CHECK_FALSE(watch.wait(0ms));
}

TEST_CASE("a temporary directory is private and is removed with its contents") {
  std::string path;
  {
    auto const directory = std::move(TemporaryDirectory::create().value());
    path = directory.path();
    CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
          std::filesystem::perms::owner_all);
    REQUIRE(mkdir((path + "/sub").c_str(), 0700) == 0);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
