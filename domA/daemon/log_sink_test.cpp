// SPDX-License-Identifier: Apache-2.0
#include "base/unique_fd.h"
#include "domA/daemon/log_sink.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <memory>
#include <spdlog/logger.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

using pegasus::daemon::LogSink;

namespace {

struct Ends {
  pegasus::base::UniqueFd reads, writes;
};

Ends pipe_ends() {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  return {pegasus::base::UniqueFd(ends[0]), pegasus::base::UniqueFd(ends[1])};
}

Ends socket_ends() {
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  return {pegasus::base::UniqueFd(ends[0]), pegasus::base::UniqueFd(ends[1])};
}

std::string read_all(int descriptor) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::string text;
  std::array<char, 65536> part{};
  for (ssize_t length = 0; (length = read(descriptor, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(length));
  return text;
}

} // namespace

TEST_CASE("a writer of the log never waits for its reader, and counts the dropped lines") {
  Ends const ends = GENERATE(true, false) ? pipe_ends() : socket_ends();
  spdlog::logger logger("pegasusd", std::make_shared<LogSink>(ends.writes.get()));
  logger.set_pattern("%v");
  constexpr int lines = 20'000; // more than either one holds
  for (int i = 0; i < lines; ++i)
    logger.info("line {} of some length, as lines of a log are", i);
  std::string const first = read_all(ends.reads.get());
  CHECK(first.starts_with("line 0 of some length"));
  CHECK(first.ends_with("are\n")); // no partial line
  logger.info("once more");
  std::string const later = read_all(ends.reads.get());
  auto const written = std::count(first.begin(), first.end(), '\n');
  CHECK(written < lines);
  CHECK(later == "pegasusd: warning: " + std::to_string(lines - written) +
                     " lines were dropped: the reader of this log is too slow\nonce more\n");
  CHECK((fcntl(ends.writes.get(), F_GETFL) & O_NONBLOCK) == 0); // writes of other processes still block
}

TEST_CASE("a log file is appended to, also beside other writers") {
  pegasus::base::UniqueFd const file(memfd_create("log", MFD_CLOEXEC));
  spdlog::logger logger("pegasusd", std::make_shared<LogSink>(file.get()));
  logger.set_pattern("%v");
  logger.info("one");
  REQUIRE(write(file.get(), "two\n", 4) == 4);
  logger.info("three");
  std::array<char, 64> text{};
  REQUIRE(pread(file.get(), text.data(), text.size(), 0) == 14);
  CHECK(std::string(text.data()) == "one\ntwo\nthree\n");
}

TEST_CASE("a very long line is cut") {
  Ends const ends = pipe_ends();
  spdlog::logger logger("pegasusd", std::make_shared<LogSink>(ends.writes.get()));
  logger.set_pattern("%v");
  logger.info("{}", std::string(100'000, 'x'));
  CHECK(read_all(ends.reads.get()).size() == 4096);
}
