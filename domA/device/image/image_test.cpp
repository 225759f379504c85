// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/image.h"

#include "domA/device/image/image_set.h"
#include "domA/device/image/test_fatbin.h"

#include <catch2/catch.hpp>

namespace pegasus::image {
namespace {
using namespace test;
using device::Status;

std::string const text_75 = "// a\n.version 9.0\n.target sm_75\n.address_size 64\n";
std::string const text_90 = ".version 9.0 .target sm_90 .address_size 64";

std::string set_of(std::vector<std::string> const& parts) {
  std::string bytes(8 + 8 * parts.size(), '\0');
  put(bytes, 0, image_set_magic);
  put(bytes, 4, static_cast<std::uint32_t>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i)
    put(bytes, 8 + 8 * i, std::uint64_t{parts[i].size()});
  for (std::string const& part : parts) {
    bytes += part;
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  return bytes;
}

std::vector<std::string> texts(std::string const& image, std::uint32_t kind = 1) {
  auto const found = ptx_of_image(bytes_of(image), kind, 75);
  INFO((found ? "" : found.error().message));
  REQUIRE(found.has_value());
  return *found;
}

Failure refused(std::string const& image, std::uint32_t kind = 1) {
  auto const found = ptx_of_image(bytes_of(image), kind, 75);
  REQUIRE_FALSE(found.has_value());
  return found.error();
}

TEST_CASE("images of each form give their PTX") {
  using V = std::vector<std::string>;
  CHECK(texts(text_75) == V{text_75});
  CHECK(texts(text_75 + '\0') == V{text_75});
  CHECK(texts(text_75 + std::string("\0\0junk", 6)) == V{text_75});
  CHECK(texts(fatbin(plain_ptx(75, text_75))) == V{text_75});
  CHECK(texts(fatbin(zstd_ptx(75, text_75))) == V{text_75});
  CHECK(texts(fatbin(lz4_ptx(75, text_75))) == V{text_75});
  CHECK(texts(fatbin(zstd_ptx(75, text_75 + '\0'))) == V{text_75});
  CHECK(texts(fatbin(entry(2, 75, 0, cubin(75), 0) + zstd_ptx(75, text_75))) == V{text_75});
  CHECK(texts(fatbin(zstd_ptx(75, text_75)) + "bytes behind it") == V{text_75});
}

TEST_CASE("a set gives the texts of its parts, in order") {
  std::string const other = text_75 + "// other\n";
  CHECK(texts(set_of({text_75}), 2).size() == 1);
  CHECK(texts(set_of({fatbin(zstd_ptx(75, other)), cubin(75), fatbin(entry(2, 75, 0, cubin(75), 0)),
                      fatbin(plain_ptx(121, "cudadevrt")), text_90, text_75}),
              2) == std::vector<std::string>{other, text_75});
}

TEST_CASE("without usable PTX the message says what is there and what to do") {
  struct Row {
    std::string image;
    std::uint32_t kind;
    char const* holds;
  };
  auto const row = GENERATE(values<Row>({
      {fatbin(plain_ptx(90, text_90)), 1, "holds PTX for compute_90, but"},
      {fatbin(entry(2, 80, 0, "c", 0) + entry(2, 86, 0, "c", 0)), 1,
       "holds machine code for sm_80, sm_86, but"},
      {fatbin(plain_ptx(90, text_90) + entry(2, 80, 0, "c", 0)), 1,
       "holds PTX for compute_90 and machine code for sm_80, but"},
      {fatbin(""), 1, "holds no code, but"},
      {cubin(80), 1, "holds machine code for sm_80, but"},
      {text_90, 1, "holds PTX for compute_90, but"},
      {".version 9.0 .target sm_100f", 1, "holds PTX for compute_100f, but"},
      {set_of({cubin(80), text_90}), 2, "holds PTX for compute_90 and machine code for sm_80, but"},
  }));
  Failure const failure = refused(row.image, row.kind);
  CHECK(failure.status == Status::no_binary_for_gpu);
  CHECK_THAT(failure.message, Catch::Contains(row.holds));
  CHECK_THAT(failure.message, Catch::Contains("nvcc -gencode arch=compute_75,code=compute_75"));
  CHECK(failure.message.find('\n') == std::string::npos);
}

TEST_CASE("bytes that are not an image") {
  std::string host_elf = cubin(80);
  put(host_elf, 18, std::uint16_t{62});
  std::string wrapper(24, '\0');
  put(wrapper, 0, std::uint32_t{0x466243b1});
  std::string damaged = fatbin(zstd_ptx(75, text_75));
  damaged[16 + 64 + 12] = static_cast<char>(damaged[16 + 64 + 12] ^ 0x55);
  damaged[16 + 64 + 5] = static_cast<char>(damaged[16 + 64 + 5] ^ 0x55);
  struct Row {
    std::string image;
    std::uint32_t kind;
    char const* message;
  };
  std::vector<Row> const rows{
      {"", 1, "neither"},
      {"hello", 1, "neither"},
      {"version", 1, "neither"},
      {"!<arch>\n", 1, "neither"},
      {std::string("\0.version", 9), 1, "neither"},
      {host_elf, 1, "ELF file"},
      {cubin(80).substr(0, 30), 1, "ELF file"},
      {wrapper, 1, "wrapper"},
      {damaged, 1, "damaged"},
      {text_75, 0, "kind 0"},
      {text_75, 3, "kind 3"},
      {text_75, 2, "set's header"},
      {set_of({}), 2, "0 parts"},
      {set_of({text_75, "junk"}), 2, "part 2 of 2"},
      {set_of({text_75, ""}), 2, "part 2 of 2"},
      {set_of({text_75}), 1, "neither"},
  };
  for (Row const& row : rows) {
    INFO(row.message);
    Failure const failure = refused(row.image, row.kind);
    CHECK(failure.status == Status::invalid_image);
    CHECK_THAT(failure.message, Catch::Contains(row.message));
  }
}

TEST_CASE("a set with wrong sizes of its parts is refused") {
  std::string const good = set_of({text_75, fatbin(zstd_ptx(75, text_75))});
  REQUIRE(texts(good, 2).size() == 2);
  for (auto const parts : {3u, 70000u, 0xffffffffu}) {
    std::string bad = good;
    put(bad, 4, parts);
    CHECK(refused(bad, 2).status == Status::invalid_image);
  }
  for (auto const bytes : {~0ull, 1ull << 63, 10000ull}) {
    std::string bad = good;
    put(bad, 8, bytes);
    CHECK_THAT(refused(bad, 2).message, Catch::Contains("part 0"));
  }
  for (std::size_t length = 0; length + 8 < good.size(); ++length)
    CHECK_FALSE(ptx_of_image(bytes_of(good.substr(0, length)), 2, 75).has_value());
}

TEST_CASE("many bombs in one set share one bound") {
  std::string const zeros(100 << 20, ' ');
  std::string const bomb = fatbin(zstd_ptx(75, zeros));
  CHECK(ptx_of_image(bytes_of(set_of({bomb, bomb})), 2, 75).has_value());
  CHECK_THAT(refused(set_of({bomb, bomb, bomb}), 2).message, Catch::Contains("in all"));
}

} // namespace
} // namespace pegasus::image
