// SPDX-License-Identifier: Apache-2.0
// Pages of this process that another domain may map: grants, over /dev/xen/gntalloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::frontend {

class SharedPages {
public:
  SharedPages() = default;
  ~SharedPages() { release(); }
  SharedPages(SharedPages const&) = delete;
  SharedPages& operator=(SharedPages const&) = delete;

  // On failure errno is set; ENOSPC: the guest kernel's limit of granted pages is reached.
  [[nodiscard]] bool share(std::size_t pages, std::uint16_t with_domain);
  // When the last mapping of the first page goes away, however this process ends, the kernel clears the byte
  // at `offset` of that page and rings `port`. A child of fork() does not keep the pages.
  [[nodiscard]] bool tell_when_gone(std::size_t offset, std::uint32_t port);
  void release();
  void keep() { kept_ = true; } // keeps the pages until the process ends

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::vector<std::uint32_t> const& references() const { return references_; }

private:
  int file_ = -1;
  std::byte* data_ = nullptr;
  std::uint64_t index_ = 0;
  std::vector<std::uint32_t> references_;
  bool kept_ = false;
};

} // namespace pegasus::frontend
