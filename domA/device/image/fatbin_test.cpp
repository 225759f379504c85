// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/fatbin.h"

#include "domA/device/image/image.h"
#include "domA/device/image/test_fatbin.h"

#include <catch2/catch.hpp>

namespace pegasus::image {
namespace {
using namespace test;

std::uint32_t best_of(std::string const& entries, std::uint32_t compute_capability = 75) {
  auto const found = read_fatbin(bytes_of(fatbin(entries)), compute_capability);
  REQUIRE(found.has_value());
  return found->best ? found->best->architecture : 0;
}

TEST_CASE("the highest architecture that the device has") {
  CHECK(best_of(plain_ptx(75, "a")) == 75);
  CHECK(best_of(plain_ptx(50, "a") + plain_ptx(70, "a") + plain_ptx(60, "a")) == 70);
  CHECK(best_of(plain_ptx(80, "a") + plain_ptx(75, "a") + plain_ptx(90, "a")) == 75);
  CHECK(best_of(plain_ptx(80, "a")) == 0);
  CHECK(best_of(plain_ptx(80, "a"), 86) == 80);
  CHECK(best_of(entry(2, 75, 0, "cubin", 0)) == 0);
  CHECK(best_of("") == 0);
}

TEST_CASE("specific PTX is for exactly its architecture") {
  std::string const a = entry(1, 90, 0x100000, "x", 0);
  std::string const f = entry(1, 100, 0x200000, "x", 0);
  CHECK(best_of(a, 90) == 90);
  CHECK(best_of(a, 100) == 0);
  CHECK(best_of(f, 100) == 100);
  CHECK(best_of(f, 103) == 0);
  CHECK(best_of(f + plain_ptx(80, "x"), 103) == 80);
}

TEST_CASE("the message lists what the container holds") {
  auto const found = read_fatbin(
      bytes_of(fatbin(plain_ptx(90, "a") + entry(1, 90, 0x100000, "x", 0) + entry(1, 100, 0x200000, "x", 0) +
                      entry(2, 80, 0, "c", 0) + entry(8, 80, 0, "c", 0))),
      75);
  REQUIRE(found.has_value());
  CHECK(found->found.ptx == std::set<std::string>{"compute_90", "compute_90a", "compute_100f"});
  CHECK(found->found.machine == std::set<std::string>{"sm_80"});
  CHECK(found->found.other.size() == 1);
}

TEST_CASE("wrong sizes and magic numbers are refused") {
  struct Row {
    std::size_t offset;
    std::uint64_t value;
    std::size_t width;
    char const* message;
  };
  std::string const good = fatbin(zstd_ptx(75, ".version 9.0"));
  REQUIRE(read_fatbin(bytes_of(good), 75).has_value());
  auto const row = GENERATE(values<Row>({
      {0, 0, 4, "header"},
      {4, 2, 2, "version 2"},
      {6, 15, 2, "its header gives 15 +"},
      {6, 0xffff, 2, "its header gives 65535 +"},
      {8, ~0ull, 8, "its header gives 16 +"},
      {8, 1000, 8, "its header gives 16 +"},
      {8, 63, 8, "only 63 bytes"},
      {16 + 4, 63, 4, "an entry of 63 +"},
      {16 + 4, 0xffffffff, 4, "an entry of 4294967295 +"},
      {16 + 8, ~0ull, 8, "an entry of 64 +"},
      {16 + 8, 1u << 20, 8, "an entry of 64 +"},
      {16 + 0x10, 0xffffffff, 4, "compressed bytes"},
      {16 + 0x38, ~0ull, 8, "the limit"},
      {16 + 0x38, (256u << 20) + 1, 8, "the limit"},
  }));
  std::string bad = good;
  std::memcpy(bad.data() + row.offset, &row.value, row.width);
  auto const found = read_fatbin(bytes_of(bad), 75);
  INFO(row.message);
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().status == device::Status::invalid_image);
  CHECK_THAT(found.error().message, Catch::Contains(row.message));
}

TEST_CASE("a fatbin cut anywhere is refused") {
  std::string const good = fatbin(zstd_ptx(75, ".version 9.0 .target sm_75") + lz4_ptx(70, ".version"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::string const cut = good.substr(0, length); // a separate copy: a sanitizer detects reads beyond it
    CHECK_FALSE(read_fatbin(bytes_of(cut), 75).has_value());
    CHECK_FALSE(ptx_of_image(bytes_of(cut), 1, 75).has_value());
  }
}

TEST_CASE("one changed byte gives texts or a message") {
  std::string const good = fatbin(zstd_ptx(75, ".version 9.0 .target sm_75") + lz4_ptx(70, ".version"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int const flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      auto const texts = ptx_of_image(bytes_of(bad), 1, 75);
      CHECK((texts.has_value() || !texts.error().message.empty()));
    }
  }
}

} // namespace
} // namespace pegasus::image
