// SPDX-License-Identifier: Apache-2.0
// The grants of a call buffer's pages, as a guest names them in directory pages. Hostile bytes enter here;
// pure; fuzzed. Source: frontend/protocol/xen.h.
#pragma once

#include "domA/guests/hello.h"
#include "frontend/protocol/xen.h"

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::xen {

class PageDirectory {
public:
  // most_pages: that the guest may have mapped for this call buffer.
  explicit PageDirectory(std::size_t most_pages = PEGASUS_XEN_CHANNEL_PAGES_MAX) : most_pages_(most_pages) {}
  // Takes the pages one after the other, each a copy that its guest cannot change any more. The grant
  // reference of the next one; 0: this was the last. The error is for the guest.
  [[nodiscard]] tl::expected<std::uint32_t, guests::Refusal> take(pegasus_xen_directory const& page);

  [[nodiscard]] guests::Hello const& hello() const { return hello_; } // after the first page
  // Of the call buffer's pages, in its order; all of them after the last page, as many as the hello's sizes
  // make, none twice: each would be mapped anew, and the host's table of mapped grants is everybody's.
  [[nodiscard]] std::vector<std::uint32_t> const& references() const { return references_; }

private:
  guests::Hello hello_;
  std::vector<std::uint32_t> references_;
  std::size_t most_pages_;
  std::size_t wanted_ = 0;
};

} // namespace pegasus::xen
