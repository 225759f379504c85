// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/cubin.h"

#include "domA/device/image/image.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <elf.h>
#include <string>

using namespace pegasus::image;

namespace {

std::string const text = ".version 8.0\n.target sm_75\n.address_size 64\n";

// A cubin for sm_75 with the names of its sections, its PTX, and the headers of both.
struct Cubin {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[2]{};
  std::string names = std::string("\0.pegasus.ptx\0", 14);

  Cubin() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = 8;
    header.e_machine = EM_CUDA;
    header.e_flags = 75 << 8;
    header.e_shoff = sizeof header + names.size() + text.size();
    header.e_shnum = 2;
    header.e_shentsize = sizeof(Elf64_Shdr);
    sections[0].sh_type = SHT_STRTAB;
    sections[0].sh_offset = sizeof header;
    sections[0].sh_size = names.size();
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof header + names.size();
    sections[1].sh_size = text.size();
  }
  [[nodiscard]] std::string file() const {
    return std::string(reinterpret_cast<char const*>(&header), sizeof header) + names + text +
           std::string(reinterpret_cast<char const*>(sections), sizeof sections);
  }
};

std::string_view ptx_of(std::string const& file) { return ptx_of_cubin(std::as_bytes(std::span(file))); }

} // namespace

TEST_CASE("a cubin that keeps its PTX is that PTX") {
  std::string const file = Cubin().file();
  CHECK(ptx_of(file) == text);
  auto const texts = ptx_of_image(std::as_bytes(std::span(file)), 1, 75);
  REQUIRE(texts);
  CHECK(*texts == std::vector{text});
  CHECK_FALSE(ptx_of_image(std::as_bytes(std::span(file)), 1, 70)); // an older device
}

TEST_CASE("a damaged cubin has no PTX") {
  std::string const file = Cubin().file();
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
    CHECK(ptx_of(file.substr(0, bytes)).empty());
  auto const damaged = [](auto damage) {
    Cubin cubin;
    damage(cubin);
    return ptx_of(cubin.file()).empty();
  };
  CHECK(damaged([](Cubin& c) { c.header.e_shstrndx = 2; }));
  CHECK(damaged([](Cubin& c) { c.header.e_shstrndx = 1; })); // the text has no such name
  CHECK(damaged([](Cubin& c) { c.header.e_shnum = 0; }));
  CHECK(damaged([](Cubin& c) { c.header.e_shoff = ~0ULL; }));
  CHECK(damaged([](Cubin& c) { c.sections[0].sh_size = 13; })); // without the name's end
  CHECK(damaged([](Cubin& c) { c.sections[0].sh_type = SHT_NOBITS, c.sections[0].sh_offset = ~0ULL; }));
  CHECK(damaged([](Cubin& c) { c.sections[1].sh_name = ~0U; }));
  CHECK(damaged([](Cubin& c) { c.sections[1].sh_type = SHT_NOBITS, c.sections[1].sh_offset = ~0ULL; }));
  CHECK(damaged([](Cubin& c) { c.sections[1].sh_size = ~0ULL; }));
}
