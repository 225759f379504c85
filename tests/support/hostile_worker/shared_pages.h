// SPDX-License-Identifier: Apache-2.0
// The memory that a worker shares, as listed by the kernel: an attack depends on a page's layout only if it
// names the page.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::hostile {

using Word = std::atomic<std::uint64_t>;

struct SharedPages {
  std::string name; // of the memfd
  bool writable;
  std::span<Word> words;
};

// Call it while /proc is accessible.
[[nodiscard]] std::vector<SharedPages> shared_pages();

// The pages of that name. Ends the process if there are none, so that no attack silently does nothing.
[[nodiscard]] std::span<Word> named(std::vector<SharedPages> const& pages, std::string_view name);

} // namespace pegasus::hostile
