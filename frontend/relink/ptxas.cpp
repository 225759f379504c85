// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/ptxas.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <memory>
#include <utility>

namespace pegasus::relink {
namespace {

constexpr std::string_view section_name = ".pegasus.ptx"; // of domA/device/image/cubin.cpp, too
constexpr std::size_t most_bytes = std::size_t{256} << 20;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(std::string const& path, char const* mode) {
  return {std::fopen(path.c_str(), mode), std::fclose};
}

std::string contents_of(std::string const& path) {
  std::string contents;
  File const file = open_file(path, "rbe");
  char piece[65536];
  while (file && contents.size() <= most_bytes) {
    std::size_t const got = std::fread(piece, 1, sizeof piece, file.get());
    if (got == 0) break;
    contents.append(piece, got);
  }
  return contents.size() <= most_bytes ? contents : std::string();
}

template <class T> void append(std::string& bytes, T const& value) {
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

// The section headers, with the names behind them; empty if they are not in the file.
std::vector<Elf64_Shdr> sections_of(std::string_view cubin, Elf64_Ehdr const& header) {
  std::uint64_t const bytes = header.e_shnum * sizeof(Elf64_Shdr);
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
      header.e_shoff > cubin.size() || bytes > cubin.size() - header.e_shoff)
    return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), cubin.data() + header.e_shoff, bytes);
  Elf64_Shdr const& names = sections[header.e_shstrndx];
  if (names.sh_offset > cubin.size() || names.sh_size > cubin.size() - names.sh_offset) return {};
  return sections;
}

bool same(timespec const& a, timespec const& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

} // namespace

std::optional<PtxasCommand> ptxas_command(std::vector<std::string> const& words) {
  if (words.empty() || !words[0].substr(words[0].rfind('/') + 1).starts_with("ptxas")) return std::nullopt;
  PtxasCommand command;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-o" || words[i] == "--output-file") {
      if (++i < words.size()) command.output = words[i];
    } else if (words[i].ends_with(".ptx") && !words[i].starts_with('-')) {
      if (!command.input.empty()) return std::nullopt;
      command.input = words[i];
    }
  }
  if (command.input.empty() || command.output.empty()) return std::nullopt;
  return command;
}

std::optional<Addition> ptx_section(std::string_view cubin, std::string_view ptx) {
  Elf64_Ehdr header{};
  if (cubin.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, cubin.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != EM_CUDA || header.e_type != ET_EXEC)
    return std::nullopt;
  std::vector<Elf64_Shdr> sections = sections_of(cubin, header);
  if (sections.empty() || header.e_shnum >= SHN_LORESERVE - 1) return std::nullopt;
  Elf64_Shdr& names = sections[header.e_shstrndx];
  std::string all_names(cubin.substr(names.sh_offset, names.sh_size));
  if (all_names.find(section_name) != std::string::npos) return std::nullopt;

  Addition addition;
  Elf64_Shdr section{};
  section.sh_name = static_cast<Elf64_Word>(all_names.size());
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = cubin.size();
  section.sh_size = ptx.size();
  section.sh_addralign = 1;
  addition.bytes.append(ptx);
  all_names.append(section_name).push_back('\0');
  names.sh_offset = cubin.size() + addition.bytes.size();
  names.sh_size = all_names.size();
  addition.bytes.append(all_names);
  addition.bytes.resize(addition.bytes.size() + (0 - (cubin.size() + addition.bytes.size())) % 8);
  header.e_shoff = cubin.size() + addition.bytes.size();
  ++header.e_shnum;
  sections.push_back(section);
  for (Elf64_Shdr const& one : sections)
    append(addition.bytes, one);
  append(addition.header, header);
  return addition;
}

std::optional<Ptxas> Ptxas::of_this_process() {
  std::string const line = contents_of("/proc/self/cmdline"); // each word ends with NUL
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < line.size(); begin += words.back().size() + 1)
    words.emplace_back(line.c_str() + begin);
  auto command = ptxas_command(words);
  return command ? std::optional(Ptxas(std::move(*command))) : std::nullopt;
}

Ptxas::Ptxas(PtxasCommand command) : command_(std::move(command)) {
  static_cast<void>(stat(command_.output.c_str(), &output_before_));
}

void Ptxas::keep_ptx() const {
  struct stat now {};
  if (stat(command_.output.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return;
  if (now.st_ino == output_before_.st_ino && same(now.st_mtim, output_before_.st_mtim)) return;
  std::string const ptx = contents_of(command_.input);
  std::string const cubin = contents_of(command_.output);
  auto const addition = ptx.empty() ? std::nullopt : ptx_section(cubin, ptx);
  File const file = addition ? open_file(command_.output, "r+be") : File(nullptr, std::fclose);
  if (!file) return;
  // The header last: until then the file is what it was.
  bool const added =
      std::fseek(file.get(), 0, SEEK_END) == 0 &&
      std::fwrite(addition->bytes.data(), 1, addition->bytes.size(), file.get()) == addition->bytes.size() &&
      std::fflush(file.get()) == 0;
  if (added && std::fseek(file.get(), 0, SEEK_SET) == 0)
    static_cast<void>(std::fwrite(addition->header.data(), 1, addition->header.size(), file.get()));
}

} // namespace pegasus::relink
