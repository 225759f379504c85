// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/granted_pages.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/mman.h>
#include <vector>

namespace pegasus::xen {
namespace {

std::string failure(std::size_t pages, std::uint32_t domain) {
  char const* const hint = errno == ENOMEM || errno == ENOSPC
                               ? " (Dom0's maptrack frames or gntdev's limit are used up: raise "
                                 "gnttab_max_maptrack_frames= on Xen's command line)"
                               : "";
  return fmt::format("cannot map {} pages of domain {}: {}{}", pages, domain, std::strerror(errno), hint);
}

} // namespace

GrantedPages& GrantedPages::operator=(GrantedPages&& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(data_, other.data_);
  std::swap(pages_, other.pages_);
  return *this;
}

tl::expected<GrantedPages, std::string> GrantedPages::map(xengnttab_handle* table, std::uint32_t domain,
                                                          std::span<std::uint32_t const> references) {
  std::vector<std::uint32_t> copy(references.begin(), references.end()); // the library needs a writable array
  GrantedPages result;
  result.table_ = table;
  result.pages_ = static_cast<std::uint32_t>(references.size());
  result.data_ = static_cast<std::byte*>(
      xengnttab_map_domain_grant_refs(table, result.pages_, domain, copy.data(), PROT_READ | PROT_WRITE));
  if (result.data_ == nullptr) return tl::unexpected(failure(references.size(), domain));
  return result;
}

tl::expected<GrantedPages, std::string>
GrantedPages::map_with_notice(xengnttab_handle* table, std::uint32_t domain, std::uint32_t reference,
                              std::uint32_t offset, evtchn_port_t port) {
  GrantedPages result;
  result.table_ = table;
  result.pages_ = 1;
  result.data_ = static_cast<std::byte*>(
      xengnttab_map_grant_ref_notify(table, domain, reference, PROT_READ | PROT_WRITE, offset, port));
  if (result.data_ == nullptr) return tl::unexpected(failure(1, domain));
  return result;
}

void GrantedPages::unmap() {
  if (data_ != nullptr) xengnttab_unmap(table_, data_, pages_);
  data_ = nullptr;
}

} // namespace pegasus::xen
