// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/ptxas.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <elf.h>

using namespace pegasus::relink;

namespace {

// A header, the names of two sections, and their headers.
std::string cubin(std::uint16_t type = ET_EXEC) {
  std::string const names = std::string("\0.shstrtab\0", 11);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_CUDA;
  header.e_type = type;
  header.e_shoff = sizeof header + names.size();
  header.e_shnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shstrndx = 1;
  Elf64_Shdr sections[2]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = names.size();
  return std::string(reinterpret_cast<char const*>(&header), sizeof header) + names +
         std::string(reinterpret_cast<char const*>(sections), sizeof sections);
}

std::string with(std::string file, Addition const& addition) {
  return file.replace(0, addition.header.size(), addition.header) + addition.bytes;
}

} // namespace

TEST_CASE("the files of an assembler's command") {
  auto const command = ptxas_command({"bin/ptxas", "-lineinfo", "-arch=sm_75", "a.ptx", "-o", "a.cubin"});
  REQUIRE(command);
  CHECK(command->input == "a.ptx");
  CHECK(command->output == "a.cubin");
  CHECK(ptxas_command({"ptxas-blackwell", "a.ptx", "--output-file", "b"}));
  CHECK_FALSE(ptxas_command({"nvcc", "a.ptx", "-o", "b"}));
  CHECK_FALSE(ptxas_command({"ptxas", "a.ptx", "b.ptx", "-o", "c"}));
  CHECK_FALSE(ptxas_command({"ptxas", "a.ptx"}));
  CHECK_FALSE(ptxas_command({"ptxas", "--version"}));
  CHECK_FALSE(ptxas_command({"ptxas", "-o"}));
  CHECK_FALSE(ptxas_command({}));
}

TEST_CASE("a cubin gets one section more") {
  auto const addition = ptx_section(cubin(), ".version 8.0");
  REQUIRE(addition);
  std::string const file = with(cubin(), *addition);
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  REQUIRE(header.e_shnum == 3);
  REQUIRE(header.e_shoff + 3 * sizeof(Elf64_Shdr) == file.size());
  Elf64_Shdr sections[3];
  std::memcpy(sections, file.data() + header.e_shoff, sizeof sections);
  CHECK(file.substr(sections[2].sh_offset, sections[2].sh_size) == ".version 8.0");
  CHECK(std::string(file.data() + sections[1].sh_offset + sections[2].sh_name) == ".pegasus.ptx");
  CHECK(std::string(file.data() + sections[1].sh_offset + sections[1].sh_name) == ".shstrtab");
  CHECK_FALSE(ptx_section(file, ".version 8.0")); // once
}

TEST_CASE("other files stay as they are") {
  CHECK_FALSE(ptx_section(cubin(ET_REL), "x")); // nvlink reads it
  CHECK_FALSE(ptx_section("", "x"));
  CHECK_FALSE(ptx_section(std::string(200, 'x'), "x"));
  std::string const whole = cubin();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK_FALSE(ptx_section(std::string_view(whole).substr(0, bytes), "x"));
}
