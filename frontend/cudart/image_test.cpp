// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/image.h"

#include "frontend/cudart/testing/fake_cuda.h"
#include "frontend/protocol/calls.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace pegasus::cudart;

namespace {

std::vector<std::uint64_t> fatbin(std::uint64_t body_bytes, unsigned char fill) {
  std::vector<std::uint64_t> words(2 + (body_bytes + 7) / 8);
  std::uint32_t const magic = 0xBA55ED50;
  std::uint16_t const version = 1;
  std::uint16_t const header_bytes = 16;
  auto* const bytes = reinterpret_cast<unsigned char*>(words.data());
  std::memcpy(bytes, &magic, 4);
  std::memcpy(bytes + 4, &version, 2);
  std::memcpy(bytes + 6, &header_bytes, 2);
  std::memcpy(bytes + 8, &body_bytes, 8);
  std::memset(bytes + 16, fill, body_bytes);
  return words;
}

} // namespace

TEST_CASE("a fatbin says its size, anything else has none") {
  auto good = fatbin(100, 1);
  CHECK(fatbin_bytes(good.data()) == 116);
  CHECK(fatbin_bytes(nullptr) == 0);
  std::uint64_t const other[2] = {0x7265762e, 0};
  CHECK(fatbin_bytes(other) == 0);
  auto huge = fatbin(8, 1);
  huge[1] = ~std::uint64_t{0};
  CHECK(fatbin_bytes(huge.data()) == 0);
}

TEST_CASE("a device-linked program becomes a set: linked code first, then the units, padded") {
  auto linked = fatbin(24, 0xAA);
  auto one = fatbin(5, 0xBB);
  auto two = fatbin(40, 0xCC);
  void* units[] = {one.data(), two.data(), nullptr};
  FatbinWrapper const wrapper{FatbinWrapper::magic_value, 2, linked.data(), units};
  std::size_t bytes = 0;
  auto* const set = static_cast<unsigned char*>(make_image_set(wrapper, bytes));
  REQUIRE(set != nullptr);

  pegasus_image_set header;
  std::uint64_t sizes[3];
  std::memcpy(&header, set, sizeof header);
  std::memcpy(sizes, set + sizeof header, sizeof sizes);
  CHECK(header.magic == PEGASUS_IMAGE_SET_MAGIC);
  CHECK(header.parts == 3);
  CHECK(sizes[0] == 40);
  CHECK(sizes[1] == 21);
  CHECK(sizes[2] == 56);
  std::size_t const start = sizeof header + sizeof sizes;
  CHECK(bytes == start + 40 + 24 + 56);
  CHECK(std::memcmp(set + start, linked.data(), 40) == 0);
  CHECK(std::memcmp(set + start + 40, one.data(), 21) == 0);
  CHECK(set[start + 40 + 21] == 0);
  CHECK(std::memcmp(set + start + 64, two.data(), 56) == 0);
  std::free(set);
}

TEST_CASE("a set with a part that is not a fatbin is refused") {
  auto linked = fatbin(24, 0xAA);
  std::uint64_t garbage[4] = {};
  void* units[] = {garbage, nullptr};
  FatbinWrapper const wrapper{FatbinWrapper::magic_value, 2, linked.data(), units};
  std::size_t bytes = 0;
  CHECK(make_image_set(wrapper, bytes) == nullptr);
}

TEST_CASE("a driver that does not know sets is given the linked code") {
  auto linked = fatbin(24, 0xAA);
  auto one = fatbin(8, 0xBB);
  void* units[] = {one.data(), nullptr};
  CUmodule module = nullptr;
  FakeCuda& fake = fake_cuda();
  fake.next_load = CUDA_ERROR_INVALID_IMAGE;
  CHECK(load_image(*driver(), {FatbinWrapper::magic_value, 2, linked.data(), units}, module) == CUDA_SUCCESS);
  CHECK(fake.modules_loaded == 2);
  CHECK(fake.image_parts == 0);
  CHECK(load_image(*driver(), {FatbinWrapper::magic_value, 2, linked.data(), units}, module) == CUDA_SUCCESS);
  CHECK(fake.image_parts == 2);
}

TEST_CASE("what is not a wrapper is an invalid image") {
  auto data = fatbin(24, 0xAA);
  CUmodule module = nullptr;
  CHECK(load_image(*driver(), {0, 1, data.data(), nullptr}, module) == CUDA_ERROR_INVALID_IMAGE);
  CHECK(load_image(*driver(), {FatbinWrapper::magic_value, 1, nullptr, nullptr}, module) ==
        CUDA_ERROR_INVALID_IMAGE);
}
