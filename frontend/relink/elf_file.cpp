// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/elf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pegasus::relink {
namespace {

constexpr std::uint64_t max_entries = 65536;                    // e_shnum and e_phnum have 16 bits
constexpr std::uint64_t max_strings = std::uint64_t{256} << 20; // a string table: far more than any program's
constexpr std::uint64_t max_dynamic = std::uint64_t{1} << 20;   // 65536 dynamic entries
constexpr std::uint64_t max_symbols = std::uint64_t{64} << 20;  // bytes of them: of programs with millions
constexpr std::uint64_t max_scanned = std::uint64_t{1} << 30;
constexpr std::size_t scan_bytes = std::size_t{1} << 20;
constexpr std::uint64_t max_relocations = std::uint64_t{256}
                                          << 20; // bytes of them: PyTorch has a tenth of it
constexpr std::size_t max_text = 128;
constexpr std::size_t max_path = 65536;

// The text that begins at `offset` of a string table; empty if it does not end inside the table.
std::string text_at(std::string const& strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  std::size_t const end = strings.find('\0', static_cast<std::size_t>(offset));
  return end == std::string::npos ? std::string() : strings.substr(offset, end - offset);
}

// Whether the text at `offset` does.
bool begins_with_one(std::string_view strings, std::size_t offset,
                     std::span<std::string_view const> prefixes) {
  std::string_view const rest = strings.substr(std::min(offset, strings.size()));
  return std::ranges::any_of(prefixes, [rest](auto const& prefix) { return rest.starts_with(prefix); });
}

template <class Entry> std::vector<Entry> entries_of(std::string const& bytes) {
  std::vector<Entry> entries(bytes.size() / sizeof(Entry));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Entry));
  return entries;
}

bool is_ours_to_read(Elf64_Ehdr const& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64;
}

} // namespace

std::optional<ElfFile> ElfFile::open(std::string const& path) {
  // does not wait for a pipe's writer
  base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0)
    return std::nullopt;
  Elf64_Ehdr header{};
  if (pread(file.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
      !is_ours_to_read(header))
    return std::nullopt;
  return ElfFile(std::move(file), static_cast<std::uint64_t>(status.st_size), header);
}

// At most `most` bytes, and not beyond the end of the file; shorter or empty if the file is shorter.
std::string ElfFile::read(std::uint64_t offset, std::uint64_t bytes, std::uint64_t most) const {
  if (offset >= size_) return {};
  std::string text(static_cast<std::size_t>(std::min({bytes, most, size_ - offset})), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    ssize_t const got =
        pread(file_.get(), text.data() + filled, text.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

template <class Entry>
std::vector<Entry> ElfFile::table(std::uint64_t offset, std::uint64_t count,
                                  std::uint64_t entry_bytes) const {
  if (entry_bytes != sizeof(Entry) || count > max_entries) return {};
  return entries_of<Entry>(read(offset, count * sizeof(Entry), max_entries * sizeof(Entry)));
}

std::vector<Elf64_Shdr> ElfFile::sections() const {
  return table<Elf64_Shdr>(header_.e_shoff, header_.e_shnum, header_.e_shentsize);
}

std::vector<Elf64_Phdr> ElfFile::segments() const {
  return table<Elf64_Phdr>(header_.e_phoff, header_.e_phnum, header_.e_phentsize);
}

std::vector<std::string> ElfFile::section_names() const {
  auto const all = sections();
  if (header_.e_shstrndx >= all.size()) return {};
  Elf64_Shdr const& names_section = all[header_.e_shstrndx];
  std::string const strings = read(names_section.sh_offset, names_section.sh_size, max_strings);
  std::vector<std::string> names;
  for (Elf64_Shdr const& section : all)
    names.push_back(text_at(strings, section.sh_name).substr(0, max_text));
  return names;
}

Section ElfFile::section(std::string_view name, std::uint64_t most) const {
  auto const names = section_names();
  auto const found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  Elf64_Shdr const header = sections()[static_cast<std::size_t>(found - names.begin())];
  if (header.sh_type == SHT_NOBITS) return {};
  return {header.sh_addr, header.sh_size, read(header.sh_offset, header.sh_size, most)};
}

std::string ElfFile::at_address(std::vector<Elf64_Phdr> const& segments, std::uint64_t address,
                                std::uint64_t most) const {
  for (Elf64_Phdr const& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      std::uint64_t const inside = address - segment.p_vaddr;
      if (segment.p_offset > size_) // also prevents the sum below from wrapping
        return {};
      return inside > size_ ? std::string()
                            : read(segment.p_offset + inside, segment.p_filesz - inside, most);
    }
  return {};
}

std::string ElfFile::at_address(std::uint64_t address, std::uint64_t most) const {
  return at_address(segments(), address, most);
}

// Uses the program headers, as the loader does: section headers may have been stripped.
std::vector<Elf64_Dyn> ElfFile::dynamic_entries(std::vector<Elf64_Phdr> const& segments) const {
  auto const dynamic_segment = std::find_if(segments.begin(), segments.end(), [](Elf64_Phdr const& segment) {
    return segment.p_type == PT_DYNAMIC;
  });
  if (dynamic_segment == segments.end()) return {};
  auto entries =
      entries_of<Elf64_Dyn>(read(dynamic_segment->p_offset, dynamic_segment->p_filesz, max_dynamic));
  entries.erase(
      std::find_if(entries.begin(), entries.end(), [](Elf64_Dyn const& e) { return e.d_tag == DT_NULL; }),
      entries.end());
  return entries;
}

Dynamic ElfFile::dynamic() const {
  auto const loaded = segments();
  auto const entries = dynamic_entries(loaded);
  std::string strings;
  for (Elf64_Dyn const& entry : entries)
    if (entry.d_tag == DT_STRTAB) strings = at_address(loaded, entry.d_un.d_ptr, max_strings);
  Dynamic told;
  for (Elf64_Dyn const& entry : entries) {
    if (entry.d_tag == DT_NEEDED)
      told.needed.push_back(text_at(strings, entry.d_un.d_val).substr(0, max_text));
    if (entry.d_tag == DT_RPATH) told.rpath = text_at(strings, entry.d_un.d_val).substr(0, max_path);
    if (entry.d_tag == DT_RUNPATH) told.runpath = text_at(strings, entry.d_un.d_val).substr(0, max_path);
  }
  return told;
}

std::vector<std::string> ElfFile::needed() const { return dynamic().needed; }

std::vector<Pointer> ElfFile::pointers() const {
  auto const loaded = segments();
  std::uint64_t address = 0, bytes = 0;
  for (Elf64_Dyn const& entry : dynamic_entries(loaded)) {
    if (entry.d_tag == DT_RELA) address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_RELASZ) bytes = entry.d_un.d_val;
  }
  std::vector<Pointer> pointers;
  for (Elf64_Rela const& one :
       entries_of<Elf64_Rela>(at_address(loaded, address, std::min(bytes, max_relocations))))
    if (ELF64_R_TYPE(one.r_info) == R_X86_64_RELATIVE)
      pointers.push_back({one.r_offset, static_cast<std::uint64_t>(one.r_addend)});
  std::ranges::sort(pointers, {}, &Pointer::address);
  return pointers;
}

ElfFile::Symbols ElfFile::symbols_of(std::uint32_t table_type) const {
  auto const all = sections();
  auto const found = std::ranges::find(all, table_type, &Elf64_Shdr::sh_type);
  if (found == all.end() || found->sh_link >= all.size() || found->sh_entsize != sizeof(Elf64_Sym)) return {};
  Elf64_Shdr const& names = all[found->sh_link];
  return {entries_of<Elf64_Sym>(read(found->sh_offset, found->sh_size, max_symbols)),
          read(names.sh_offset, names.sh_size, max_strings)};
}

std::vector<std::string> ElfFile::symbols(bool defined, std::span<std::string_view const> prefixes) const {
  Symbols const table = symbols_of(SHT_DYNSYM);
  std::vector<std::string> names;
  for (Elf64_Sym const& symbol : table.entries)
    if ((symbol.st_shndx != SHN_UNDEF) == defined && begins_with_one(table.names, symbol.st_name, prefixes))
      names.push_back(text_at(table.names, symbol.st_name).substr(0, max_path));
  return names;
}

std::vector<Function> ElfFile::functions(std::uint32_t table_type,
                                         std::span<std::string_view const> prefixes) const {
  auto const [symbols, names] = symbols_of(table_type);
  std::vector<Function> functions;
  for (Elf64_Sym const& symbol : symbols) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (begins_with_one(names, symbol.st_name, prefixes))
      functions.push_back({text_at(names, symbol.st_name), symbol.st_value, room_of(symbols, symbol)});
  }
  return functions;
}

// What follows a function up to the next one is padding if it consists of the bytes of which compilers make it.
std::uint64_t ElfFile::room_of(std::vector<Elf64_Sym> const& symbols, Elf64_Sym const& function) const {
  static constexpr std::string_view padding("\x90\xcc\x66\x2e\x0f\x1f\x84\x40\x44\x80\0", 11);
  if (function.st_size == 0 || function.st_size >= Function::counted) return function.st_size;
  std::uint64_t room = Function::counted;
  for (Elf64_Sym const& symbol : symbols)
    if (symbol.st_value > function.st_value) room = std::min(room, symbol.st_value - function.st_value);
  if (room <= function.st_size) return room;
  std::string const code = at_address(function.st_value, room);
  bool const padded =
      code.size() == room && code.find_first_not_of(padding, function.st_size) == std::string::npos;
  return padded ? room : function.st_size;
}

std::vector<bool> ElfFile::contains(std::span<std::string_view const> texts) const {
  std::vector<bool> found(texts.size(), false);
  // Windows overlap by the longest text, so no text is missed at a boundary.
  for (std::uint64_t offset = 0; offset < std::min(size_, max_scanned); offset += scan_bytes - max_text) {
    std::string const window = read(offset, scan_bytes, scan_bytes);
    for (std::size_t i = 0; i < texts.size(); ++i)
      found[i] =
          found[i] || memmem(window.data(), window.size(), texts[i].data(), texts[i].size()) != nullptr;
    if (std::all_of(found.begin(), found.end(), [](bool is_found) { return is_found; })) break;
  }
  return found;
}

} // namespace pegasus::relink
