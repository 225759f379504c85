// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/page_directory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <numeric>

using namespace pegasus::xen;

namespace {

// A guest's directory of a call buffer; page i has reference 1000 + i, directory page i has reference 10 + i.
struct Guest {
  std::vector<pegasus_xen_directory> pages;

  Guest(std::uint32_t slots, std::uint32_t arena_bytes) {
    std::uint32_t const wanted = PEGASUS_XEN_CHANNEL_PAGES(slots, arena_bytes);
    pages.resize((wanted + PEGASUS_XEN_DIRECTORY_REFS - 1) / PEGASUS_XEN_DIRECTORY_REFS);
    pages[0].connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
    pages[0].connect_request.version = PEGASUS_PROTOCOL_VERSION;
    pages[0].connect_request.task = 42;
    pages[0].connect_request.slots = slots;
    pages[0].connect_request.arena_bytes = arena_bytes;
    pages[0].pages = wanted;
    for (std::uint32_t i = 0; i < wanted; ++i)
      pages[i / PEGASUS_XEN_DIRECTORY_REFS].refs[i % PEGASUS_XEN_DIRECTORY_REFS] = 1000 + i;
    for (std::uint32_t i = 0; i + 1 < pages.size(); ++i)
      pages[i].next = 11 + i;
  }
};

} // namespace

TEST_CASE("all references, in the buffer's order, whatever the buffer's size") {
  auto const [slots, arena_bytes, pages] = GENERATE(table<std::uint32_t, std::uint32_t, std::size_t>({
      {PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN, 1},
      {PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_DEFAULT, 1},
      {PEGASUS_SLOTS_MAX, 791 * PEGASUS_XEN_PAGE, 1}, // the last reference of the page
      {PEGASUS_SLOTS_MAX, 792 * PEGASUS_XEN_PAGE, 2}, // the first reference of the next page
      {PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX, PEGASUS_XEN_DIRECTORIES_MAX},
  }));
  INFO(slots << " slots, " << arena_bytes << " bytes");
  Guest const guest(slots, arena_bytes);
  REQUIRE(guest.pages.size() == pages);
  PageDirectory directory;
  for (std::uint32_t i = 0; i < pages; ++i) {
    auto const next = directory.take(guest.pages[i]);
    REQUIRE(next);
    CHECK(*next == (i + 1 < pages ? 11 + i : 0));
  }
  std::vector<std::uint32_t> expected(PEGASUS_XEN_CHANNEL_PAGES(slots, arena_bytes));
  std::iota(expected.begin(), expected.end(), 1000);
  CHECK(directory.references() == expected);
  CHECK(directory.connect_request().process == 42);
}

TEST_CASE("totals have pages of their own number, whatever sizes the guest names") {
  Guest guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MIN);
  guest.pages[0].connect_request.kind = PEGASUS_CONNECT_TOTALS;
  CHECK(PageDirectory().take(guest.pages[0]).error().message.find("that totals need") != std::string::npos);
  guest.pages[0].pages = PEGASUS_XEN_TOTALS_PAGES;
  PageDirectory directory;
  CHECK(directory.take(guest.pages[0]) == 0);
  CHECK(directory.references() == std::vector<std::uint32_t>{1000, 1001, 1002, 1003});
}

TEST_CASE("versions are agreed on by a directory as by a packet") {
  Guest guest(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN);
  pegasus_xen_connect_request& request = guest.pages[0].connect_request;
  auto const agreed = [&] {
    PageDirectory directory;
    REQUIRE(directory.take(guest.pages[0]));
    return directory.connect_request().agreement.version;
  };
  std::strcpy(request.program, "vectorAdd");
  CHECK(agreed() == PEGASUS_PROTOCOL_VERSION);
  request.version = PEGASUS_PROTOCOL_VERSION + 3;
  CHECK_FALSE(PageDirectory().take(guest.pages[0]));
  request.oldest = 1;
  CHECK(agreed() == PEGASUS_PROTOCOL_VERSION);
  request.version = 1;
  // the name of a domain, which version 1 has there
  request.oldest = request.features = request.reserved[0] = 0x6d6f64;
  CHECK(agreed() == 1);
  PageDirectory directory;
  REQUIRE(directory.take(guest.pages[0]));
  CHECK(directory.connect_request().program == "vectorAdd");
  CHECK(directory.connect_request().domain.empty());
}

TEST_CASE("sizes of 0 are the defaults") {
  Guest guest(PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_DEFAULT);
  guest.pages[0].connect_request.slots = guest.pages[0].connect_request.arena_bytes = 0;
  PageDirectory directory;
  CHECK(directory.take(guest.pages[0]) == 0u);
}

TEST_CASE("what follows the last page is not looked at") {
  Guest guest(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN);
  guest.pages[0].next = 7; // a chain without end
  PageDirectory directory;
  CHECK(directory.take(guest.pages[0]) == 0u);
  CHECK(directory.references().size() == guest.pages[0].pages);
}

TEST_CASE("a page that names itself as the next is refused when the buffer is whole: its pages come twice") {
  Guest guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  guest.pages[0].next = 10;
  PageDirectory directory;
  for (std::uint32_t taken = 1; taken < PEGASUS_XEN_DIRECTORIES_MAX; ++taken)
    REQUIRE(directory.take(guest.pages[0]) == 10u);
  auto const last = directory.take(guest.pages[0]);
  REQUIRE_FALSE(last);
  CHECK(last.error().message.find("twice") != std::string::npos);
}

TEST_CASE("a duplicate page is refused") {
  Guest guest(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN);
  guest.pages[0].refs[3] = guest.pages[0].refs[7];
  CHECK_FALSE(PageDirectory().take(guest.pages[0]));
}

TEST_CASE("a call buffer beyond what the guest may have mapped is refused by its first page") {
  Guest const guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  std::size_t const wanted = guest.pages[0].pages;
  CHECK(PageDirectory(wanted).take(guest.pages[0]));
  auto const refused = PageDirectory(wanted - 1).take(guest.pages[0]);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error == ENOMEM);
  CHECK(refused.error().message.find("--guest-pages") != std::string::npos);
}

TEST_CASE("the connect request and count of later pages are ignored") {
  Guest guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  std::uint32_t const wanted = guest.pages[0].pages;
  PageDirectory directory;
  for (auto& page : guest.pages) {
    REQUIRE(directory.take(page));
    guest.pages.back().connect_request.magic = guest.pages.back().pages = 0xffffffff;
  }
  CHECK(directory.references().size() == wanted);
}

TEST_CASE("an inconsistent directory is refused with a message") {
  Guest guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  auto error = [&] {
    PageDirectory directory;
    auto const next = directory.take(guest.pages[0]);
    CHECK(directory.references().size() <= PEGASUS_XEN_DIRECTORY_REFS);
    return next ? std::string() : next.error().message;
  };
  REQUIRE(error().empty());
  guest.pages[0].pages--;
  CHECK(error().find("pages, not the 16577 that 4096 slots and an arena of 67108864 bytes need") !=
        std::string::npos);
  guest.pages[0].pages = 0xffffffff;
  CHECK_FALSE(error().empty());
  guest = Guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  guest.pages[0].next = 0;
  CHECK(error() == "the directory ends before its last page");
  guest = Guest(PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX);
  guest.pages[0].connect_request.arena_bytes = 0xffffffff; // more than the limit: the limit is used
  CHECK(error().empty());
  guest.pages[0].connect_request.version++;
  CHECK(error().find("speak protocol version 3, pegasusd speaks versions 1 to 2: upgrade pegasusd") !=
        std::string::npos);
  guest.pages[0].connect_request.magic++;
  CHECK(error().find("not a connect request") != std::string::npos);
}
