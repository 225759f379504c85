// SPDX-License-Identifier: Apache-2.0
// The library exports what the toolkit's library does, under the same version node, and needs only libc.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>

namespace {

std::string output_of(std::string const& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (std::size_t const bytes = std::fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, bytes);
  REQUIRE(pclose(pipe) == 0);
  return output;
}

// "version name" of every symbol defined in the library. Lines of objdump -T:
// 000000000000f650 g    DF .text  00000000000000df  libcudart.so.13 cudaMalloc
std::set<std::string> exports(std::string const& library) {
  std::set<std::string> names;
  std::istringstream lines(output_of(OBJDUMP " -T '" + library + "'"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" DF .text") == std::string::npos) continue;
    std::istringstream words(line);
    std::string address, scope, flags, section, size, version, name;
    words >> address >> scope >> flags >> section >> size >> version >> name;
    names.insert(version + " " + name);
  }
  return names;
}

} // namespace

TEST_CASE(
    "the same functions under the same version node as the toolkit's library, and those of later releases") {
  std::set<std::string> theirs = exports(TOOLKIT_CUDART);
  std::set<std::string> const ours = exports(OUR_CUDART);
  REQUIRE(theirs.size() > 400);
#define PEGASUS_LATER(name) theirs.insert("libcudart.so.13 " #name);
#include "frontend/cudart/later_releases.inc"
#undef PEGASUS_LATER
  for (std::string const& name : theirs) {
    INFO(name);
    CHECK(ours.count(name) == 1);
  }
  for (std::string const& name : ours) {
    INFO(name);
    CHECK(theirs.count(name) == 1);
  }
}

TEST_CASE("those for CUDA 12 and 11 export what 12.9 and 11.8 did, and nothing of later releases") {
  auto const check = [](char const* library, std::string const& node, std::size_t count,
                        std::initializer_list<char const*> there,
                        std::initializer_list<char const*> not_there) {
    std::set<std::string> const ours = exports(library);
    CHECK(ours.size() == count);
    for (char const* const name : there)
      CHECK(ours.contains(node + " " + name));
    for (char const* const name : not_there)
      CHECK_FALSE(ours.contains(node + " " + name));
  };
  check(OUR_CUDART_12, "libcudart.so.12", 435,
        {"cudaMemAdvise", "cudaMemAdvise_v2", "cudaGetDeviceProperties_v2", "cudaThreadSynchronize"},
        {"cudaLogsCurrent", "cudaBindTexture", "cudaGetDeviceProperties_v13"});
  check(OUR_CUDART_11, "libcudart.so.11.0", 395, {"cudaBindTexture", "cudaGraphInstantiate"},
        {"cudaMemAdvise_v2", "cudaGetKernel", "cudaGetDeviceProperties_v2", "cudaGraphInstantiate_v13"});
}

TEST_CASE("SONAME, RUNPATH, and no library but libc") {
  auto const check = [](char const* library, std::string const& name) {
    std::string const headers = output_of(std::string(OBJDUMP " -p '") + library + "'");
    CHECK(headers.find("SONAME               " + name + "\n") != std::string::npos);
    CHECK(headers.find("$ORIGIN") != std::string::npos);
    CHECK(headers.find("libstdc++") == std::string::npos);
    CHECK(headers.find("NEEDED               libc.so.6\n") != std::string::npos);
  };
  check(OUR_CUDART, "libcudart.so.13");
  check(OUR_CUDART_12, "libcudart.so.12");
  check(OUR_CUDART_11, "libcudart.so.11.0");
}

// The sanitizers add their own constructors.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("nothing runs when the library is loaded") {
  std::string const sections = output_of(OBJDUMP " -h '" OUR_CUDART "'");
  // .init_array contains crtbegin's frame_dummy: one pointer.
  std::istringstream lines(sections);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string index, name, size;
    words >> index >> name >> size;
    if (name == ".init_array") CHECK(std::strtoul(size.c_str(), nullptr, 16) == sizeof(void*));
  }
}
#endif
