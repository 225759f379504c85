// SPDX-License-Identifier: Apache-2.0
#include "frontend/jit/link.h"

#include "frontend/cuda/image.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <elf.h>
#include <string_view>

using namespace pegasus;
using jit::Form, jit::form_of, jit::Link, jit::LinkOptions;

namespace {

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

LinkOptions options(std::initializer_list<char const*> given) {
  return LinkOptions(std::span(given.begin(), given.size()));
}

std::vector<std::byte> elf(std::uint16_t machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = machine;
  auto const bytes = std::as_bytes(std::span(&header, 1));
  return {bytes.begin(), bytes.end()};
}

constexpr std::string_view one = ".version 8.0\n// one\n", two = ".version 8.0\n// two\n";

} // namespace

TEST_CASE("machine code is what -arch=sm_NN asks for") {
  CHECK(options({"-O3", "-arch=sm_75"}).for_machine_code);
  CHECK_FALSE(options({"-arch=compute_75"}).for_machine_code);
  CHECK_FALSE(options({"-arch=sm_75", "-lto", "-ptx"}).for_machine_code);
  CHECK_FALSE(options({}).for_machine_code);
  CHECK(options({"-arch=sm_90a", "-lto"}).optimises);
  CHECK_FALSE(options({"-arch=sm_90a"}).optimises);
}

TEST_CASE("inputs are told apart by their first bytes") {
  CHECK(form_of(bytes_of(one)) == Form::ptx);
  CHECK(form_of(elf(EM_CUDA)) == Form::machine_code);
  CHECK(form_of(elf(EM_X86_64)) == Form::other);
  CHECK(form_of(bytes_of("BC\xc0\xde")) == Form::other);
  CHECK(form_of({}) == Form::other);
  std::array<std::uint32_t, 4> const fatbin{driver::fatbin_magic, 1 | 16 << 16, 0, 0};
  CHECK(form_of(std::as_bytes(std::span(fatbin))) == Form::fatbin);
}

TEST_CASE("a link of one unit is the unit, ended by NUL") {
  Link link;
  REQUIRE(link.add(bytes_of(one)));
  CHECK(link.result().empty());
  link.complete();
  std::string const expected = std::string(one) + '\0';
  CHECK(std::ranges::equal(link.result(), bytes_of(expected)));
}

TEST_CASE("a link of several units is a set, which can be linked again") {
  Link first, second;
  REQUIRE(first.add(bytes_of(one)));
  REQUIRE(first.add(bytes_of(two)));
  first.complete();
  CHECK(form_of(first.result()) == Form::linked);
  REQUIRE(second.add(first.result()));
  second.complete();
  std::array<std::span<std::byte const>, 2> const parts{bytes_of(one), bytes_of(two)};
  CHECK(std::ranges::equal(second.result(), driver::make_image_set(parts)));
}

TEST_CASE("a link without device code is empty") {
  Link link;
  CHECK_FALSE(link.add(elf(EM_X86_64)));
  link.complete();
  CHECK(link.result().empty());
}
