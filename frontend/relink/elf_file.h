// SPDX-License-Identifier: Apache-2.0
// Reads the parts of an ELF file that show how it uses CUDA, and its functions. The file is untrusted: every offset, size and
// count is bounded before it is used. Reads go through pread, so a file that is truncated meanwhile is an
// error and not a fault. Source: System V ABI, chapters 4 and 5; elf(5).
#pragma once

#include "base/unique_fd.h"

#include <cstdint>
#include <elf.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::relink {

// Its address is that of the file. `room`: bytes from there on that are its own, or padding; what is behind `counted` of
// them is not looked at.
struct Function {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t room = 0;
  static constexpr std::uint64_t counted = 16;
};

// What the loader is told of other objects.
struct Dynamic {
  std::vector<std::string> needed; // DT_NEEDED: the libraries it asks the loader for
  std::string rpath, runpath;      // where to look for them: directories with colons between them
};

struct Section {
  std::uint64_t address = 0; // of the loaded program
  std::uint64_t size = 0;    // as the file says
  std::string bytes;
};

// A word of the loaded program that is the address `target`, wherever the program is loaded.
struct Pointer {
  std::uint64_t address = 0;
  std::uint64_t target = 0;
};

class ElfFile {
public:
  // Returns nullopt unless it is a regular file with a 64-bit x86-64 program or library.
  [[nodiscard]] static std::optional<ElfFile> open(std::string const& path);

  [[nodiscard]] std::vector<std::string> section_names() const; // empty: stripped, or malformed
  [[nodiscard]] std::vector<std::string> needed() const;        // that of dynamic()
  [[nodiscard]] Dynamic dynamic() const;
  // The section with that name, of its bytes at most the first `most`; without bytes: there is none in the file.
  [[nodiscard]] Section section(std::string_view name, std::uint64_t most) const;
  // The bytes at an address of the loaded program, up to the end of its segment's part in the file.
  [[nodiscard]] std::string at_address(std::uint64_t address, std::uint64_t most) const;
  // By address; of position-independent objects, whose files have zeros there.
  [[nodiscard]] std::vector<Pointer> pointers() const;
  // The names in SHT_DYNSYM that begin with one of `prefixes` and that it defines, or does not.
  [[nodiscard]] std::vector<std::string> symbols(bool defined,
                                                 std::span<std::string_view const> prefixes) const;
  // The functions that begin with one of `prefixes`, of SHT_SYMTAB or SHT_DYNSYM; empty: there is no such table.
  [[nodiscard]] std::vector<Function> functions(std::uint32_t table,
                                                std::span<std::string_view const> prefixes) const;
  // Which of `texts` (each at most 128 bytes) occur in the first gigabyte, in their order.
  [[nodiscard]] std::vector<bool> contains(std::span<std::string_view const> texts) const;

private:
  ElfFile(base::UniqueFd file, std::uint64_t size, Elf64_Ehdr const& header)
      : file_(std::move(file)), size_(size), header_(header) {}
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t bytes, std::uint64_t most) const;
  [[nodiscard]] std::uint64_t room_of(std::vector<Elf64_Sym> const& symbols, Elf64_Sym const& function) const;
  template <class Entry>
  [[nodiscard]] std::vector<Entry> table(std::uint64_t offset, std::uint64_t count,
                                         std::uint64_t entry_bytes) const;
  struct Symbols {
    std::vector<Elf64_Sym> entries;
    std::string names;
  };
  [[nodiscard]] Symbols symbols_of(std::uint32_t table_type) const;
  [[nodiscard]] std::vector<Elf64_Shdr> sections() const;
  [[nodiscard]] std::vector<Elf64_Phdr> segments() const;
  [[nodiscard]] std::vector<Elf64_Dyn> dynamic_entries(std::vector<Elf64_Phdr> const& segments) const;
  [[nodiscard]] std::string at_address(std::vector<Elf64_Phdr> const& segments, std::uint64_t address,
                                       std::uint64_t most) const;

  base::UniqueFd file_;
  std::uint64_t size_;
  Elf64_Ehdr header_;
};

} // namespace pegasus::relink
