// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hostile_worker/shared_pages.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace pegasus::hostile {

std::vector<SharedPages> shared_pages() {
  std::vector<SharedPages> found;
  std::ifstream maps("/proc/self/maps");
  constexpr std::string_view memfd = "/memfd:";
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, end = 0;
    char readable = 0, writable = 0, executable = 0, shared = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %c%c%c%c", &first, &end, &readable, &writable,
                    &executable, &shared) != 6 ||
        shared != 's')
      continue;
    auto const path = line.find(memfd);
    std::string const name =
        path == std::string::npos
            ? ""
            : line.substr(path + memfd.size(), line.find(' ', path) - path - memfd.size());
    // The kernel's numbers are this process's addresses.
    auto* const words = reinterpret_cast<Word*>(first); // NOLINT(performance-no-int-to-ptr)
    found.push_back({name, writable == 'w', {words, (end - first) / sizeof(Word)}});
  }
  return found;
}

std::span<Word> named(std::vector<SharedPages> const& pages, std::string_view name) {
  for (SharedPages const& one : pages)
    if (one.name == name) return one.words;
  std::fprintf(stderr, "hostile worker: there is no page %.*s\n", static_cast<int>(name.size()), name.data());
  std::_Exit(1);
}

} // namespace pegasus::hostile
