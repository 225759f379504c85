// SPDX-License-Identifier: Apache-2.0
// Pages of another domain, mapped here as one range. The guest may write to them at any time.
#pragma once

#include "domA/guests/xen/handles.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace pegasus::xen {

class GrantedPages {
public:
  GrantedPages() = default;
  GrantedPages(GrantedPages&& other) noexcept
      : table_(other.table_), data_(std::exchange(other.data_, nullptr)), pages_(other.pages_) {}
  GrantedPages& operator=(GrantedPages&& other) noexcept;
  ~GrantedPages() { unmap(); }

  // `table` must outlive the pages.
  [[nodiscard]] static tl::expected<GrantedPages, std::string>
  map(xengnttab_handle* table, std::uint32_t domain, std::span<std::uint32_t const> references);
  // Maps one page. When it is unmapped, including at the end of this process, the kernel clears the byte at
  // `offset` and rings `port`.
  [[nodiscard]] static tl::expected<GrantedPages, std::string>
  map_with_notice(xengnttab_handle* table, std::uint32_t domain, std::uint32_t reference,
                  std::uint32_t offset, evtchn_port_t port);
  void unmap();

  [[nodiscard]] std::byte* data() const { return data_; }
  template <class T> [[nodiscard]] T& as() const { return *reinterpret_cast<T*>(data_); }

private:
  xengnttab_handle* table_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint32_t pages_ = 0;
};

} // namespace pegasus::xen
