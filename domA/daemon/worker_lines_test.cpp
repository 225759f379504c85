// SPDX-License-Identifier: Apache-2.0
#include "base/unique_fd.h"
#include "domA/daemon/worker_lines.h"

#include <array>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace pegasus;
using namespace std::chrono_literals;

namespace {

struct Fixture {
  boost::asio::io_context io{1};
  pegasus::base::UniqueFd worker;
  std::vector<std::string> lines;
  std::shared_ptr<daemon::WorkerLines> reader;

  Fixture() {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    worker = pegasus::base::UniqueFd(ends[1]);
    reader = daemon::WorkerLines::follow(io, ends[0], [this](auto line) { lines.emplace_back(line); });
  }
  ssize_t says(std::string const& text) const { return write(worker.get(), text.data(), text.size()); }
};

} // namespace

TEST_CASE("a worker's lines are those that it ended, and the last when it is gone") {
  Fixture test;
  REQUIRE(test.says("one\n\ntwo\nthr") > 0);
  test.io.run_for(10ms);
  CHECK(test.lines == std::vector<std::string>{"one", "two"});
  REQUIRE(test.says("ee") > 0);
  test.reader->finish();
  CHECK(test.lines == std::vector<std::string>{"one", "two", "three"});
  test.io.run_for(200ms);
  CHECK(test.io.stopped()); // nothing is pending
}

TEST_CASE("lines are cut, and bytes that are not text are replaced") {
  Fixture test;
  REQUIRE(test.says("\033[2J\r\x80" + std::string(2000, 'x') + "\n") > 0);
  test.io.run_for(10ms);
  REQUIRE(test.lines.size() == 1);
  CHECK(test.lines[0].size() == 500);
  CHECK(test.lines[0].substr(0, 7) == "?[2J??x");
}

TEST_CASE("a worker that writes without end is read at intervals and not waited for") {
  Fixture test;
  auto const until = std::chrono::steady_clock::now() + 350ms;
  std::size_t written = 0;
  while (std::chrono::steady_clock::now() < until) {
    while (test.says(std::string(1000, 'y') + "\n") > 0)
      written += 1001;
    test.io.run_for(1ms);
  }
  CHECK(written > 4096);
  CHECK(written < 200'000); // a pipe's 64 KiB, and four kilobytes ten times a second
  test.reader->finish();    // while the write end is open
  CHECK(test.lines.size() > 10);
}
