// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/library_search.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>

using namespace pegasus::ctl::doctor;

namespace {

using Directories = std::vector<std::string>;

template <class T> void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

// A cache with one library; `entries`: what the header says.
std::string cache_of(std::uint32_t entries, std::int32_t flags, std::uint64_t abilities) {
  std::string bytes = "glibc-ld.so.cache1.1";
  append(bytes, entries);
  bytes.resize(48);
  append(bytes, flags);
  append(bytes, std::uint32_t{72});
  append(bytes, std::uint32_t{88});
  append(bytes, std::uint32_t{0});
  append(bytes, abilities);
  bytes += std::string("lib.so.1") + '\0';
  bytes.resize(88);
  return bytes + "/usr/lib/lib.so.1" + '\0';
}

} // namespace

TEST_CASE("RUNPATH is of the object alone, RPATH of all that loaded it, $ORIGIN the object's directory") {
  Asker const program{
      "/opt/bin/app", {.needed = {}, .rpath = "/rpath:$ORIGIN/../lib", .runpath = ""}, nullptr};
  CHECK(search_path(program, "/env") == Directories{"/rpath", "/opt/bin/../lib", "/env"});
  Asker const library{"/opt/lib/part.so", {.needed = {}, .rpath = "", .runpath = ""}, &program};
  CHECK(search_path(library, "") == Directories{"/rpath", "/opt/bin/../lib"});
  Asker const modern{"/opt/lib/part.so", {.needed = {}, .rpath = "/old", .runpath = "${ORIGIN}/x"}, &program};
  CHECK(search_path(modern, "/env:") == Directories{"/env", "/opt/lib/x"});
}

TEST_CASE("the linker's cache") {
  std::string const cache = cache_of(1, 0x0303, 0);
  CHECK(cached_library(cache, "lib.so.1") == "/usr/lib/lib.so.1");
  CHECK_FALSE(cached_library(cache, "lib.so"));
  CHECK_FALSE(cached_library(cache_of(1, 0x0003, 0), "lib.so.1"));       // of 32 bits
  CHECK_FALSE(cached_library(cache_of(1, 0x0303, 1 << 20), "lib.so.1")); // for some processors only
  CHECK(cached_library(cache_of(0xffffffff, 0x0303, 0), "lib.so.1"));
}

TEST_CASE("a damaged cache is read safely") {
  std::string const cache = cache_of(3, 0x0303, 0);
  for (std::size_t length = 0; length < cache.size(); ++length)
    (void)cached_library(cache.substr(0, length), "lib.so.1");
  for (std::size_t at = 48; at < 60; ++at) {
    std::string damaged = cache;
    damaged[at] = '\xff';
    (void)cached_library(damaged, "lib.so.1");
  }
  CHECK_FALSE(cached_library("", "lib.so.1"));
}

TEST_CASE("the C library is found, and what there is not is not") {
  Asker const program{"/opt/bin/app", {}, nullptr};
  LibrarySearch const search("");
  CHECK(search.find("libc.so.6", program));
  CHECK_FALSE(search.find("libthere-is-none.so.1", program));
  CHECK_FALSE(search.find("/etc/passwd", program));
}
