// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Xen guest's directory pages. The reader must return all references that the connect
// request's sizes require, in their order, from as many pages as they need, or refuse in a printable
// sentence. A page may name itself as the next one, so the chain never ends before the reader does.
//
// Input: the connect request; then for each page its count, its next page and its first reference, each 32
// bits. The other references of the page count up from the first.
#include "domA/guests/xen/page_directory.h"

#include "domA/ring/request_ring.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <numeric>

namespace {

using pegasus::fuzz::require;

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::uint64_t wanted_pages(pegasus::guests::ConnectRequest const& connect_request) {
  if (connect_request.kind == PEGASUS_CONNECT_TOTALS) return PEGASUS_XEN_TOTALS_PAGES;
  auto const bytes =
      pegasus::ring::geometry_for(connect_request.slots, connect_request.arena_bytes).total_bytes;
  require(bytes % PEGASUS_XEN_PAGE == 0);
  return bytes / PEGASUS_XEN_PAGE;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  pegasus::fuzz::Input input(data, size);
  pegasus_xen_directory page{};
  page.connect_request = input.take<pegasus_xen_connect_request>();
  pegasus::xen::PageDirectory directory;
  std::vector<std::uint32_t> named;
  for (std::uint32_t taken = 1;; ++taken) {
    page.pages = input.take<std::uint32_t>();
    page.next = input.take<std::uint32_t>();
    std::iota(std::begin(page.refs), std::end(page.refs), input.take<std::uint32_t>());
    named.insert(named.end(), std::begin(page.refs), std::end(page.refs));
    auto const next = directory.take(page);
    require(taken <= PEGASUS_XEN_DIRECTORIES_MAX);
    if (!next) {
      require(next.error().error != 0 && !next.error().message.empty() && printable(next.error().message));
      return 0;
    }
    auto const& references = directory.references();
    require(references.size() <= named.size() &&
            std::equal(references.begin(), references.end(), named.begin()));
    require(printable(directory.connect_request().program));
    auto const wanted = wanted_pages(directory.connect_request());
    if (*next != 0) {
      require(*next == page.next && references.size() == named.size());
      continue;
    }
    require(references.size() == wanted && wanted <= PEGASUS_XEN_CHANNEL_PAGES_MAX);
    require(named.size() - references.size() < PEGASUS_XEN_DIRECTORY_REFS); // no page more than needed
    return 0;
  }
}
