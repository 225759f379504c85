// SPDX-License-Identifier: Apache-2.0
// What a worker shares with others, as the kernel lists it: no attack depends on a page's layout but those
// that name one.
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

// To be asked while /proc can be seen.
[[nodiscard]] std::vector<SharedPages> shared_pages();

// The pages of that name; ends the process if there are none, so that no attack is none for want of a page.
[[nodiscard]] std::span<Word> named(std::vector<SharedPages> const& pages, std::string_view name);

} // namespace pegasus::hostile
