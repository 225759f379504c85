// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/library_search.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::array<char const*, 6> usual_directories = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

std::string with_origin(std::string directory, std::string const& object) {
  std::string const origin = std::filesystem::path(object).parent_path().string();
  for (std::string_view const name : {"$ORIGIN", "${ORIGIN}"})
    if (std::size_t const at = directory.find(name); at != std::string::npos)
      directory.replace(at, name.size(), origin.empty() ? "." : origin);
  return directory;
}

void append(std::vector<std::string>& directories, std::string_view list, std::string const& object) {
  while (!list.empty()) {
    std::size_t const end = std::min(list.find(':'), list.size());
    std::string const directory(list.substr(0, end));
    directories.push_back(directory.empty() ? "." : with_origin(directory, object));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

bool is_library(std::string const& path) { return relink::ElfFile::open(path).has_value(); }

// sysdeps/generic/dl-cache.h of glibc: the format since 2.32.
struct CacheHeader {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t string_bytes;
  std::uint32_t others[5];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name, path; // offsets from the header
  std::uint32_t unused;
  std::uint64_t abilities; // of the processor; 0: any
};
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";
constexpr std::int32_t x86_64_library = 0x0303;

std::string_view text_in(std::string_view cache, std::size_t offset) {
  std::string_view const rest = cache.substr(std::min(offset, cache.size()));
  std::size_t const end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

} // namespace

std::vector<std::string> search_path(Asker const& asker, std::string_view ld_library_path) {
  std::vector<std::string> directories;
  if (asker.told.runpath.empty())
    for (Asker const* at = &asker; at != nullptr; at = at->loader)
      if (at->told.runpath.empty()) append(directories, at->told.rpath, at->path);
  append(directories, ld_library_path, asker.path);
  append(directories, asker.told.runpath, asker.path);
  return directories;
}

std::optional<std::string> cached_library(std::string_view cache, std::string_view name) {
  CacheHeader header{};
  if (cache.size() < sizeof header || !cache.starts_with(cache_magic)) return std::nullopt;
  std::memcpy(&header, cache.data(), sizeof header);
  std::size_t const most = (cache.size() - sizeof header) / sizeof(CacheEntry);
  for (std::size_t i = 0; i < std::min<std::size_t>(header.entries, most); ++i) {
    CacheEntry entry{};
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.flags == x86_64_library && entry.abilities == 0 && text_in(cache, entry.name) == name)
      return std::string(text_in(cache, entry.path));
  }
  return std::nullopt;
}

LibrarySearch::LibrarySearch(std::string ld_library_path) : ld_library_path_(std::move(ld_library_path)) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  cache_.assign(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::string> LibrarySearch::find(std::string const& name, Asker const& asker) const {
  if (name.find('/') != std::string::npos) {
    std::string const path = with_origin(name, asker.path);
    return is_library(path) ? std::optional(path) : std::nullopt;
  }
  for (std::string const& directory : search_path(asker, ld_library_path_))
    if (std::string const path = directory + "/" + name; is_library(path)) return path;
  if (auto const path = cached_library(cache_, name); path && is_library(*path)) return path;
  for (char const* const directory : usual_directories)
    if (std::string const path = std::string(directory) + "/" + name; is_library(path)) return path;
  return std::nullopt;
}

} // namespace pegasus::ctl::doctor
