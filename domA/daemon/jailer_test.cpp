// SPDX-License-Identifier: Apache-2.0
// Tests the processes that it starts; their separation is tested on real workers (e2e_hostile, e2e_gpu).
#include "base/unique_fd.h"
#include "domA/daemon/jailer.h"

#include <array>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus;
using daemon::Jailer;

namespace {

constexpr std::uint32_t first_user = 1'883'701'248;

struct Ended {
  int status;
  std::string said;
};

// Runs a shell script and captures its standard output and descriptor 7.
Ended run(Jailer const& jailer, std::string const& script) {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  pegasus::base::UniqueFd const ours(ends[0]);
  pegasus::base::UniqueFd its(ends[1]);
  auto const process = jailer.start({.path = "/bin/sh",
                                     .arguments = {"sh", "-c", script},
                                     .environment = {"WORD=yes"},
                                     .descriptors = {{its.get(), STDOUT_FILENO}, {its.get(), 7}}},
                                    jailer.jail(3));
  REQUIRE(process);
  its = pegasus::base::UniqueFd();
  Ended ended{};
  std::array<char, 256> buffer{};
  for (ssize_t bytes; (bytes = read(ours.get(), buffer.data(), buffer.size())) > 0;)
    ended.said.append(buffer.data(), static_cast<std::size_t>(bytes));
  REQUIRE(waitpid(process->pid, &ended.status, 0) == process->pid);
  return ended;
}

} // namespace

TEST_CASE("a process inherits its descriptors and environment, and nothing else of pegasusd") {
  Jailer const jailer("/bin/true", first_user);
  setenv("OURS", "no", 1);
  int const inherited = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Ended const ended = run(jailer, "echo $WORD$OURS >&7; ls /proc/self/fd | wc -l; exit 3");
  close(inherited);
  CHECK(WEXITSTATUS(ended.status) == 3);
  CHECK(ended.said.substr(0, 4) == "yes\n");
}

TEST_CASE("a worker has its own namespaces where the machine allows them") {
  Jailer const jailer("/bin/true", first_user);
  bool const alone = jailer.jail(0).own_namespaces != 0;
  CHECK((run(jailer, "echo $$").said == "1\n") == alone);
  CHECK((jailer.missing().find("namespaces") == std::string::npos) == alone);
}

TEST_CASE("each slot has a user of its own, if we are root") {
  Jailer const jailer("/bin/true", first_user);
  worker::Jail const one = jailer.jail(1), two = jailer.jail(2);
  CHECK((one.user != two.user) == (one.own_user != 0));
  if (geteuid() == 0 && jailer.missing().empty()) CHECK(two.user == first_user + 2);
}

TEST_CASE("where a worker cannot enter its jail, a weaker one is used and reported") {
  Jailer const jailer("/bin/false", first_user);
  CHECK(jailer.jail(0).own_namespaces == 0);
  CHECK(jailer.jail(0).own_user == 0);
  CHECK(jailer.missing().find("user id") != std::string::npos);
  CHECK(run(jailer, "exit 4").status == 4 << 8);
}

TEST_CASE("a missing program is named in the error") {
  Jailer const jailer("/no/such/program", first_user);
  auto const process = jailer.start(
      {.path = "/no/such/program", .arguments = {}, .environment = {}, .descriptors = {}}, jailer.jail(0));
  REQUIRE_FALSE(process);
  CHECK(process.error().find("/no/such/program") != std::string::npos);
}
