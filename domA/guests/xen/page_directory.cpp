// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/page_directory.h"

#include "domA/ring/request_ring.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <span>

namespace pegasus::xen {

using guests::Refusal;

tl::expected<std::uint32_t, Refusal> PageDirectory::take(pegasus_xen_directory const& page) {
  if (references_.empty()) {
    auto hello = guests::parse_hello(std::as_bytes(std::span(&page.hello, 1)));
    if (!hello) return tl::unexpected(hello.error());
    hello_ = std::move(*hello);
    wanted_ = ring::geometry_for(hello_.slots, hello_.arena_bytes).total_bytes / PEGASUS_XEN_PAGE;
    if (page.pages != wanted_)
      return tl::unexpected(Refusal{
          EPROTO, fmt::format("{} pages are named, {} are wanted for {} slots and an arena of {} bytes",
                              page.pages, wanted_, hello_.slots, hello_.arena_bytes)});
    if (wanted_ > most_pages_)
      return tl::unexpected(Refusal{
          ENOMEM,
          fmt::format("its call buffer has {} pages, and {} more may be mapped for this guest: end programs, "
                      "or have the operator raise pegasusd's --guest-pages",
                      wanted_, most_pages_)});
  }
  std::size_t const here = std::min<std::size_t>(wanted_ - references_.size(), PEGASUS_XEN_DIRECTORY_REFS);
  references_.insert(references_.end(), page.refs, page.refs + here);
  if (references_.size() == wanted_) {
    std::vector<std::uint32_t> sorted = references_;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      return tl::unexpected(Refusal{EPROTO, "the directory names a page twice"});
    return 0u;
  }
  if (page.next == 0) return tl::unexpected(Refusal{EPROTO, "the directory ends before its last page"});
  return page.next;
}

} // namespace pegasus::xen
