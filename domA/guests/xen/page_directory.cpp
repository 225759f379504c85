// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/page_directory.h"

#include "domA/ring/request_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/core.h>
#include <span>

namespace pegasus::xen {

using guests::Rejection;

namespace {

std::size_t pages_for(guests::ConnectRequest const& connect_request) {
  if (connect_request.kind == PEGASUS_CONNECT_TOTALS) return PEGASUS_XEN_TOTALS_PAGES;
  return ring::geometry_for(connect_request.slots, connect_request.arena_bytes).total_bytes /
         PEGASUS_XEN_PAGE;
}

// The same connect request in the form of the local transport.
pegasus_connect_request in_one_piece(pegasus_xen_connect_request const& from) {
  pegasus_connect_request to{};
  std::memcpy(&to, &from, offsetof(pegasus_xen_connect_request, oldest));
  std::ranges::copy(from.program, to.program);
  if (from.version < 2) return to; // it knows nothing of the rest
  to.oldest = from.oldest;
  to.features = from.features;
  return to;
}

std::string purpose_of(guests::ConnectRequest const& connect_request) {
  if (connect_request.kind == PEGASUS_CONNECT_TOTALS) return "totals";
  return fmt::format("{} slots and an arena of {} bytes", connect_request.slots, connect_request.arena_bytes);
}

} // namespace

tl::expected<std::uint32_t, Rejection> PageDirectory::take(pegasus_xen_directory const& page) {
  if (references_.empty()) {
    pegasus_connect_request const sent = in_one_piece(page.connect_request);
    auto connect_request = guests::parse_connect_request(std::as_bytes(std::span(&sent, 1)));
    if (!connect_request) return tl::unexpected(connect_request.error());
    connect_request_ = std::move(*connect_request);
    wanted_ = pages_for(connect_request_);
    if (page.pages != wanted_)
      return tl::unexpected(
          Rejection{EPROTO, fmt::format("the directory names {} pages, not the {} that {} need", page.pages,
                                        wanted_, purpose_of(connect_request_))});
    if (wanted_ > max_pages_)
      return tl::unexpected(Rejection{
          ENOMEM,
          fmt::format(
              "this program needs {} mapped pages and this guest may have {} more: end programs, or have "
              "the operator raise pegasusd's --guest-pages",
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
