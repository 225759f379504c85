// SPDX-License-Identifier: Apache-2.0
// Unmodified programs built by nvcc find the library in every way that a user may provide it.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>

namespace {

struct Outcome {
  int status = -1;
  std::string output; // both streams
};

Outcome run(std::string const& environment, std::string const& program) {
  std::string const command = "env " + environment + " " PROGRAMS "/" + program + " 2>&1";
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (std::size_t const bytes = std::fread(buffer, 1, sizeof buffer, pipe))
    outcome.output.append(buffer, bytes);
  int const status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return outcome;
}

std::string directory_of(std::string const& path) { return path.substr(0, path.rfind('/')); }

// A directory with a libcuda.so.1 that cannot be loaded. This equals a missing library, also on a machine
// that has one elsewhere.
std::string without_driver() {
  std::string const directory = PROGRAMS "/no_driver";
  mkdir(directory.c_str(), 0755);
  std::ofstream(directory + "/libcuda.so.1") << "not a library";
  return directory;
}

void require_success(Outcome const& outcome) {
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find("failures: 0\n") != std::string::npos);
}

std::string const fake_first = "LD_LIBRARY_PATH=" FAKE_CUDA ":" + directory_of(OUR_CUDART);

} // namespace

TEST_CASE("a program built with -cudart shared runs with LD_LIBRARY_PATH") {
  require_success(run(fake_first, "linked"));
}

TEST_CASE("a device-linked program is one image of the linked code and its units") {
  Outcome const outcome = run(fake_first + " FAKE_CUDA_TRACE=1", "linked");
  INFO(outcome.output);
  std::size_t const at = outcome.output.find("image parts: ");
  REQUIRE(at != std::string::npos);
  CHECK(std::stoi(outcome.output.substr(at + 13)) >= 3);
  CHECK(outcome.output.find("image parts: ", at + 1) == std::string::npos);
}

TEST_CASE("LD_PRELOAD wins over an RPATH that names the toolkit") {
  require_success(run("LD_LIBRARY_PATH=" FAKE_CUDA " LD_PRELOAD=" OUR_CUDART, "shared"));
}

TEST_CASE("a program linked with the archive runs") {
  require_success(run("LD_LIBRARY_PATH=" FAKE_CUDA, "static"));
}

TEST_CASE("a program built for per-thread default streams runs") {
  require_success(run(fake_first, "per_thread"));
}

TEST_CASE("without a driver every call answers 35, and one sentence says what to do") {
  std::string const path = "LD_LIBRARY_PATH=" + without_driver() + ":" + directory_of(OUR_CUDART);
  for (char const* const program : {"linked", "static"}) {
    Outcome const outcome = run(path, program);
    INFO(outcome.output);
    CHECK(outcome.status == 1);
    CHECK(outcome.output.find("malloc: cudaErrorInsufficientDriver\n") != std::string::npos);
    CHECK(outcome.output.find("launch: cudaErrorInsufficientDriver\n") != std::string::npos);
    std::size_t const said = outcome.output.find("pegasus: libcuda.so.1 was not found");
    REQUIRE(said != std::string::npos);
    CHECK(outcome.output.find("pegasus:", said + 1) == std::string::npos);
  }
}

TEST_CASE("preloaded into a program that has nothing to do with CUDA, nothing happens") {
  FILE* const pipe = popen("LD_PRELOAD=" OUR_CUDART " /bin/echo quiet 2>&1", "r");
  REQUIRE(pipe != nullptr);
  char line[256] = {};
  CHECK(std::fread(line, 1, sizeof line - 1, pipe) == 6);
  CHECK(std::string(line) == "quiet\n");
  CHECK(pclose(pipe) == 0);
}
