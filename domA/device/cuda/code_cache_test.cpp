// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/code_cache.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>

using namespace pegasus::cuda;

namespace {

constexpr std::size_t page = 4096;

struct alignas(page) Pages {
  std::array<std::byte, 16 * page> bytes{};
};

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

CodeCache::Source source(std::string_view ptx, std::uint32_t capability = 90, std::int32_t driver = 13000) {
  return {bytes_of(ptx), capability, driver};
}

std::string text_of(std::optional<std::vector<std::byte>> const& code) {
  if (!code) return "(none)";
  return {reinterpret_cast<char const*>(code->data()), code->size()};
}

} // namespace

TEST_CASE("code is found for the same PTX, device and driver only") {
  auto const pages = std::make_unique<Pages>();
  CodeCache writer(pages->bytes);
  CHECK_FALSE(writer.find(source("ptx")));
  writer.add(source("ptx"), bytes_of("code of ptx"));
  writer.add(source("another"), bytes_of("code of another"));
  CodeCache const reader(pages->bytes); // another worker
  CHECK(text_of(reader.find(source("ptx"))) == "code of ptx");
  CHECK(text_of(reader.find(source("another"))) == "code of another");
  CHECK_FALSE(reader.find(source("ptx", 80)));
  CHECK_FALSE(reader.find(source("ptx", 90, 12080)));
  CHECK_FALSE(reader.find(source("ptx ")));
}

TEST_CASE("where there is no room nothing is kept, and nothing is lost") {
  auto const pages = std::make_unique<Pages>();
  CodeCache cache(pages->bytes);
  std::string const large(15 * page, 'x');
  cache.add(source("first"), bytes_of("code"));
  cache.add(source("large"), bytes_of(large));
  cache.add(source("second large"), bytes_of(large));
  CHECK(text_of(cache.find(source("first"))) == "code");
  CHECK(text_of(cache.find(source("large"))) == large);
  CHECK_FALSE(cache.find(source("second large")));
  CodeCache none;
  none.add(source("first"), bytes_of("code"));
  CHECK_FALSE(none.find(source("first")));
}

TEST_CASE("workers of a domain add at the same time") {
  auto const pages = std::make_unique<Pages>();
  constexpr int each = 50;
  auto const add = [&](std::string const& who) {
    CodeCache cache(pages->bytes);
    for (int i = 0; i < each; ++i) {
      std::string const name = who + std::to_string(i);
      cache.add(source(name), bytes_of(name));
    }
  };
  std::thread first(add, "a"), second(add, "b");
  first.join();
  second.join();
  CodeCache const cache(pages->bytes);
  for (std::string const who : {"a", "b"})
    for (int i = 0; i < each; ++i)
      CHECK(text_of(cache.find(source(who + std::to_string(i)))) == who + std::to_string(i));
}

TEST_CASE("what a worker that its guest has taken over writes is never read beyond the pages") {
  auto const pages = std::make_unique<Pages>();
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    pages->bytes = {};
    CodeCache cache(pages->bytes);
    for (int i = 0; i < 20; ++i)
      cache.add(source(std::to_string(i)), bytes_of("code " + std::to_string(i)));
    for (int i = 0; i < 8; ++i) {
      std::uint64_t const value = random() % 2 == 0 ? random() : random() % pages->bytes.size();
      std::memcpy(pages->bytes.data() + random() % 512 * 8, &value, sizeof value);
    }
    for (int i = 0; i < 20; ++i)
      if (auto const code = cache.find(source(std::to_string(i))))
        CHECK(text_of(code) == "code " + std::to_string(i));
    cache.add(source("new"), bytes_of("new code"));
  }
}
