// SPDX-License-Identifier: Apache-2.0
// The grants of the pages of a call buffer, or of totals, as a guest names them in directory pages. Hostile
// bytes enter here; pure; fuzzed. Source: frontend/protocol/xen.h.
#pragma once

#include "domA/guests/connect_request.h"
#include "frontend/protocol/xen.h"

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::xen {

class PageDirectory {
public:
  // max_pages: how many pages the guest may have mapped for this task.
  explicit PageDirectory(std::size_t max_pages = PEGASUS_XEN_CHANNEL_PAGES_MAX) : max_pages_(max_pages) {}
  // Takes the pages in order, each a copy that the guest can no longer change. Returns the grant reference of
  // the next one, 0 if this was the last. The error is for the guest.
  [[nodiscard]] tl::expected<std::uint32_t, guests::Rejection> take(pegasus_xen_directory const& page);

  [[nodiscard]] guests::ConnectRequest const& connect_request() const {
    return connect_request_;
  } // after the first page
  // The references of the pages, in their order. After the last page they are complete: as many
  // as the connect request requires, and none twice. A duplicate would be mapped again, and the
  // host's table of mapped grants is shared by all guests.
  [[nodiscard]] std::vector<std::uint32_t> const& references() const { return references_; }

private:
  guests::ConnectRequest connect_request_;
  std::vector<std::uint32_t> references_;
  std::size_t max_pages_;
  std::size_t wanted_ = 0;
};

} // namespace pegasus::xen
