// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/page_directory.h"

#include "domA/ring/request_ring.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>
#include <span>

namespace pegasus::xen {

using guests::Rejection;

tl::expected<std::uint32_t, Rejection> PageDirectory::take(pegasus_xen_directory const& page) {
  if (references_.empty()) {
    auto connect_request = guests::parse_connect_request(std::as_bytes(std::span(&page.connect_request, 1)));
    if (!connect_request) return tl::unexpected(connect_request.error());
    connect_request_ = std::move(*connect_request);
    wanted_ = ring::geometry_for(connect_request_.slots, connect_request_.arena_bytes).total_bytes /
              PEGASUS_XEN_PAGE;
    if (page.pages != wanted_)
      return tl::unexpected(Rejection{
          EPROTO, fmt::format("{} pages are named, {} are wanted for {} slots and an arena of {} bytes",
                              page.pages, wanted_, connect_request_.slots, connect_request_.arena_bytes)});
    if (wanted_ > max_pages_)
      return tl::unexpected(Rejection{
          ENOMEM,
          fmt::format("its call buffer has {} pages, and {} more may be mapped for this guest: end programs, "
                      "or have the operator raise pegasusd's --guest-pages",
                      wanted_, max_pages_)});
  }
  std::size_t const here = std::min<std::size_t>(wanted_ - references_.size(), PEGASUS_XEN_DIRECTORY_REFS);
  references_.insert(references_.end(), page.refs, page.refs + here);
  if (references_.size() == wanted_) {
    std::vector<std::uint32_t> sorted = references_;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      return tl::unexpected(Rejection{EPROTO, "the directory names a page twice"});
    return 0u;
  }
  if (page.next == 0) return tl::unexpected(Rejection{EPROTO, "the directory ends before its last page"});
  return page.next;
}

} // namespace pegasus::xen
