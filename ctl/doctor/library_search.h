// SPDX-License-Identifier: Apache-2.0
// Where the dynamic linker would find a library, by ld.so(8): without starting it, since it executes what it loads
// where a program says so. Directories for the processor's abilities (glibc-hwcaps) are left out.
#pragma once

#include "frontend/relink/elf_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ctl::doctor {

// An object that asks for libraries.
struct Asker {
  std::string path;
  relink::Dynamic told;
  Asker const* loader = nullptr; // the one that asked for it; nullptr: it is the program
};

// The directories that it is to look in before those of the system, in their order.
[[nodiscard]] std::vector<std::string> search_path(Asker const& asker, std::string_view ld_library_path);

// The file of a library in the linker's cache (/etc/ld.so.cache, whose bytes are `cache`), or nullopt.
[[nodiscard]] std::optional<std::string> cached_library(std::string_view cache, std::string_view name);

class LibrarySearch {
public:
  // `ld_library_path`: the value of the variable.
  explicit LibrarySearch(std::string ld_library_path);
  // The library's file, or nullopt.
  [[nodiscard]] std::optional<std::string> find(std::string const& name, Asker const& asker) const;

private:
  std::string ld_library_path_;
  std::string cache_;
};

} // namespace pegasus::ctl::doctor
