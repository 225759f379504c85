// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/device_memory.h"

#include "domA/device/image/test_fatbin.h"

#include <catch2/catch.hpp>
#include <string>

namespace pegasus::image {
namespace {

using namespace test;

constexpr std::uint32_t one = 1, set = 2, device = 90;

std::string const variables = ".version 8.0\n.target sm_75\n.address_size 64\n"
                              ".global .align 4 .b8 big[536870912];\n.const .align 8 .b64 table[4];\n"
                              ".visible .entry k() { .shared .b8 tile[1024]; ret; }\n";

// A cubin with a table of sections: their flags, types and sizes, and contents where needed.
struct Section {
  std::uint32_t type;
  std::uint64_t flags, offset, bytes;
};
std::string cubin(std::vector<Section> const& sections) {
  std::string file(64 + 64 * sections.size(), '\0');
  file.replace(0, 4,
               "\x7f"
               "ELF");
  put(file, 4, std::uint8_t{2});
  put(file, 18, std::uint16_t{190});
  put(file, 40, std::uint64_t{64});
  put(file, 58, std::uint16_t{64});
  put(file, 60, static_cast<std::uint16_t>(sections.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    put(file, 64 + 64 * i + 4, sections[i].type);
    put(file, 64 + 64 * i + 8, sections[i].flags);
    put(file, 64 + 64 * i + 24, sections[i].offset);
    put(file, 64 + 64 * i + 32, sections[i].bytes);
  }
  return file;
}
constexpr std::uint64_t allocated = 2;
constexpr std::uint32_t with_bytes = 1, without_bytes = 8;

std::uint64_t taken(std::string const& image, std::uint32_t kind = one) {
  auto const bytes = device_bytes(bytes_of(image), kind, device);
  REQUIRE(bytes);
  CHECK(bytes->complete);
  return bytes->bytes;
}
bool refused(std::string const& image, std::uint32_t kind = one) {
  auto const bytes = device_bytes(bytes_of(image), kind, device);
  return !bytes && bytes.error().status == device::Status::invalid_image;
}

} // namespace

TEST_CASE("PTX takes its variables and room for its code") {
  CHECK(taken(variables) == variables.size() + 536870912 + 32);
  CHECK(taken(variables + '\0' + "what follows is not its own") == variables.size() + 536870912 + 32);
}

TEST_CASE("PTX that is not understood is accepted, with an incomplete size") {
  std::string const later =
      ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { later.thing! }\n";
  auto const bytes = device_bytes(bytes_of(later), one, device);
  REQUIRE(bytes);
  CHECK_FALSE(bytes->complete);
}

TEST_CASE("a cubin takes its allocated sections, those without bytes in the file too") {
  CHECK(taken(cubin({{with_bytes, allocated, 64, 100},
                     {without_bytes, allocated, 0, std::uint64_t{1} << 29},
                     {with_bytes, 0, 64, 60}})) == 100 + (std::uint64_t{1} << 29));
}

TEST_CASE("a cubin whose sections or tables are not within it reaches no driver") {
  CHECK(refused(cubin({{with_bytes, 0, 64, 1000}})));
  CHECK(refused(cubin({{with_bytes, 0, ~std::uint64_t{0}, 2}})));
  CHECK(refused(cubin({{without_bytes, allocated, 0, ~std::uint64_t{0}}, {without_bytes, allocated, 0, 1}})));
  std::string far = cubin({{with_bytes, 0, 64, 8}});
  put(far, 40, std::uint64_t{1} << 40);
  CHECK(refused(far));
  std::string many = cubin({{with_bytes, 0, 64, 8}});
  put(many, 60, std::uint16_t{500});
  CHECK(refused(many));
  std::string programs = cubin({});
  put(programs, 54, std::uint16_t{56});
  put(programs, 56, std::uint16_t{3});
  put(programs, 32, std::uint64_t{60});
  CHECK(refused(programs));
  CHECK(refused(cubin({}).substr(0, 40)));
}

TEST_CASE("a fatbin takes what the hungriest of the entries for the device takes") {
  std::string const small = cubin({{without_bytes, allocated, 0, 4096}});
  std::string const large = cubin({{without_bytes, allocated, 0, 1 << 20}});
  CHECK(taken(fatbin(entry(2, 90, 0, small, 0) + entry(2, 80, 0, large, 0))) == 4096);
  CHECK(taken(fatbin(entry(2, 90, 0x8000, zstd_of(large), large.size()) + entry(2, 90, 0, small, 0))) ==
        1 << 20);
  CHECK(taken(fatbin(entry(2, 90, 0, small, 0) + zstd_ptx(75, variables))) ==
        variables.size() + 536870912 + 32);
  CHECK(refused(fatbin(entry(2, 90, 0, cubin({{with_bytes, 0, 64, 1000}}), 0))));
  CHECK(refused(fatbin(entry(2, 90, 0x8000, zstd_of(small), small.size() + 1))));
}

TEST_CASE("neither a wrapper with pointers in it nor other bytes are for a driver") {
  std::string wrapper(24, '\0');
  put(wrapper, 0, std::uint32_t{0x466243b1});
  CHECK(refused(wrapper));
  CHECK(refused("hello"));
  CHECK(refused(""));
  CHECK(refused(variables, 3));
  CHECK(refused(variables, set));
}

} // namespace pegasus::image
