// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/image.h"

#include "frontend/protocol/calls.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <elf.h>
#include <string>

using namespace pegasus::driver;

namespace {

std::vector<std::byte> bytes_of(std::string const& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A header of 16 bytes and a body.
std::vector<std::byte> fatbin(std::size_t body) {
  std::vector<std::byte> image(16 + body, std::byte{0x11});
  std::uint32_t const magic = 0xBA55ED50;
  std::uint16_t const numbers[2] = {1, 16};
  std::uint64_t const bytes = body;
  std::memcpy(image.data(), &magic, 4);
  std::memcpy(image.data() + 4, numbers, 4);
  std::memcpy(image.data() + 8, &bytes, 8);
  return image;
}

struct Wrapper {
  std::uint32_t magic = 0x466243b1;
  std::uint32_t version = 1;
  void const* data = nullptr;
  void const* const* parts = nullptr;
};

constexpr char ptx[] =
    ".version 7.5\n.target sm_75\n// .entry commented {}\n.visible .entry first(.param .u64 p)\n"
    "{ ret; }\n.entry declared(.param .u32 a);\n.visible .entry _second() .maxntid 1,1,1 { ret; }\n";

} // namespace

TEST_CASE("PTX text ends at its NUL") {
  Image image;
  REQUIRE(recognise(ptx, image) == CUDA_SUCCESS);
  CHECK(image.kind == 1);
  CHECK(image.bytes.size() == sizeof ptx - 1);
  std::vector<std::string> names;
  REQUIRE(list_entries(image, names));
  CHECK(names == std::vector<std::string>{"first", "_second"});
}

TEST_CASE("a fatbin and its wrapper") {
  auto const contents = fatbin(100);
  Image image;
  REQUIRE(recognise(contents.data(), image) == CUDA_SUCCESS);
  CHECK(image.bytes.size() == 116);
  Wrapper wrapper;
  wrapper.data = contents.data();
  Image wrapped;
  REQUIRE(recognise(&wrapper, wrapped) == CUDA_SUCCESS);
  CHECK(wrapped.bytes.data() == contents.data());
  CHECK(wrapped.bytes.size() == 116);
  CHECK(recognise(contents.data(), image, 100) == CUDA_ERROR_INVALID_IMAGE); // truncated
}

TEST_CASE("the wrapper of separately compiled units becomes an image set") {
  auto const one = fatbin(4);
  auto const two = fatbin(32);
  void const* const parts[] = {one.data(), two.data(), nullptr};
  Wrapper wrapper{.version = 2, .data = one.data(), .parts = parts};
  Image image;
  REQUIRE(recognise(&wrapper, image) == CUDA_SUCCESS);
  CHECK(image.kind == 2);
  CHECK(image.bytes.size() == 8 + 2 * 8 + 24 + 48);
  Image again; // a set is recognised, with its size
  REQUIRE(recognise(image.bytes.data(), again) == CUDA_SUCCESS);
  CHECK(again.kind == 2);
  CHECK(again.bytes.size() == image.bytes.size());
}

TEST_CASE("the entries of a set of texts") {
  auto const one = bytes_of(".entry a() { ret; }");
  auto const two = bytes_of(".entry b() { ret; }");
  std::span<std::byte const> const parts[] = {one, two};
  auto const set = make_image_set(parts);
  Image image;
  REQUIRE(recognise(set.data(), image) == CUDA_SUCCESS);
  std::vector<std::string> names;
  REQUIRE(list_entries(image, names));
  CHECK(names == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a cubin ends where its last section or table does") {
  std::vector<std::byte> cubin(1024);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = 512;
  header.e_shnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  std::memcpy(cubin.data(), &header, sizeof header);
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = 700;
  section.sh_size = 200;
  std::memcpy(cubin.data() + 512 + sizeof section, &section, sizeof section);
  Image image;
  REQUIRE(recognise(cubin.data(), image, cubin.size()) == CUDA_SUCCESS);
  CHECK(image.bytes.size() == 900);
  section.sh_size = ~std::uint64_t{0} - 10; // wraps
  std::memcpy(cubin.data() + 512 + sizeof section, &section, sizeof section);
  CHECK(recognise(cubin.data(), image, cubin.size()) == CUDA_ERROR_INVALID_IMAGE);
  header.e_shentsize = 4;
  std::memcpy(cubin.data(), &header, sizeof header);
  CHECK(recognise(cubin.data(), image, cubin.size()) == CUDA_ERROR_INVALID_IMAGE);
}

TEST_CASE("what is not an image is refused") {
  Image image;
  CHECK(recognise(nullptr, image) == CUDA_ERROR_INVALID_VALUE);
  CHECK(recognise("", image) == CUDA_ERROR_INVALID_IMAGE);
  CHECK(recognise("garbage and no code", image) == CUDA_ERROR_INVALID_IMAGE);
  pegasus_image_set const lying{PEGASUS_IMAGE_SET_MAGIC, PEGASUS_IMAGE_SET_PARTS_MAX + 1};
  CHECK(recognise(&lying, image) == CUDA_ERROR_INVALID_IMAGE);
  struct {
    pegasus_image_set set{PEGASUS_IMAGE_SET_MAGIC, 1};
    std::uint64_t bytes = ~std::uint64_t{0};
  } huge;
  CHECK(recognise(&huge, image) == CUDA_ERROR_INVALID_IMAGE);
}
