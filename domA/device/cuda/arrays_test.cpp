// SPDX-License-Identifier: Apache-2.0
// A context's arrays on a driver that keeps what is in them.
#include "domA/device/cuda/arrays.h"

#include "domA/device/array_levels.h"
#include "domA/device/cuda/driver_memory.h"
#include "domA/device/cuda/testing/virtual_arrays.h"
#include "domA/device/memory/quota_test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;
namespace device = pegasus::device;
using device::ArrayShape;
using device::Status;
using device::TexelFormat;

namespace {

constexpr std::uint64_t mebi = 1 << 20, page = 64 << 10;

struct ContextArrays : VirtualArrays {
  explicit ContextArrays(std::uint64_t share = 64 * mebi)
      : quota(256 * mebi), limit(quota.take(0, 1, {share})) {
    time.fill_takes = Nanos{0};
  }
  [[nodiscard]] std::uint64_t charged() const { return quota.books.used_bytes(1); }
  [[nodiscard]] device::Address create(ArrayShape const& shape) {
    device::Address base = 0;
    REQUIRE(arrays.create(shape, base) == Status::success);
    return base;
  }
  [[nodiscard]] ModelArray& model(device::Address base, std::size_t level = 0) {
    return contents.arrays.at(transfers.arrays().find(base)->levels[level].handle);
  }

  pegasus::memory::test::QuotaMemory quota;
  pegasus::memory::Quota limit;
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, limit};
  DriverArrays arrays{driver, transfers, memory, state};
};

constexpr ArrayShape plane{.width = 40, .height = 30, .texel = {TexelFormat::f32, 1}};

} // namespace

TEST_CASE("an array is made as its shape says, and is zero wherever it may be read") {
  ContextArrays context;
  auto const shape =
      GENERATE(ArrayShape{.width = 7, .texel = {TexelFormat::u8, 1}}, plane,
               ArrayShape{.width = 5, .height = 4, .depth = 3, .texel = {TexelFormat::f16, 2}},
               ArrayShape{.width = 9, .depth = 5, .texel = {TexelFormat::s16, 4}, .layered = true},
               ArrayShape{.width = 8,
                          .height = 8,
                          .depth = 12,
                          .texel = {TexelFormat::u32, 4},
                          .layered = true,
                          .cubemap = true,
                          .surface = true,
                          .levels = 3},
               ArrayShape{.width = 1600,
                          .height = 900,
                          .depth = 3,
                          .texel = {TexelFormat::f32, 1},
                          .gather = true,
                          .levels = 11},
               ArrayShape{.width = 1, .height = 10'000, .depth = 3}); // in several copies
  device::Address const base = context.create(shape);
  CHECK(base >= ArrayTable::first_address);
  for (std::uint32_t level = 0; level < shape.levels; ++level) {
    ModelArray const& made = context.model(base, level);
    CHECK(made.shape.Width == shape.width);
    CHECK(made.shape.Height == shape.height);
    CHECK(made.shape.Depth == shape.depth);
    CHECK(made.shape.NumChannels == shape.texel.channels);
    CHECK(made.shape.Format == static_cast<CUarray_format>(shape.texel.format));
    CHECK(((made.shape.Flags & CUDA_ARRAY3D_LAYERED) != 0) == shape.layered);
    CHECK(((made.shape.Flags & CUDA_ARRAY3D_CUBEMAP) != 0) == shape.cubemap);
    CHECK(((made.shape.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0) == shape.surface);
    CHECK(((made.shape.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0) == shape.gather);
    CHECK(made.row_bytes == device::level_of(shape, level).row_bytes);
    CHECK(std::ranges::all_of(made.bytes, [](std::byte byte) { return byte == std::byte{0}; }));
  }
  context.arrays.close();
  CHECK(context.contents.arrays.empty());
  CHECK(context.contents.mipmaps.empty());
  CHECK(context.contents.memory.empty());
}

TEST_CASE("the program's work waits for an array's zeroes") {
  ContextArrays context;
  (void)context.create(plane);
  context.time.fill_takes = 20ms;
  device::Address const base = context.create(plane);
  CHECK(context.time.now == 0ns);
  REQUIRE(context.transfers.scrubber().order(CU_STREAM_LEGACY) == CUDA_SUCCESS);
  CHECK(context.time.free_at[CU_STREAM_LEGACY] == 20ms);
  // So does its end.
  REQUIRE(context.arrays.destroy(base) == Status::success);
  CHECK(context.time.now == 20ms);
  CHECK(context.contents.synchronized == 1);
}

TEST_CASE("an array is charged while it is there, and no address is given twice") {
  ContextArrays context;
  device::Address const first = context.create(plane);
  CHECK(context.charged() == DriverArrays::zeros_bytes + page);
  device::Address const second = context.create({.width = 1 << 10, .height = 1 << 10});
  CHECK(context.charged() == DriverArrays::zeros_bytes + page + 4 * mebi);
  CHECK(second >= first + 2 * page);
  CHECK(context.arrays.destroy(second + 4) == Status::invalid_value);
  CHECK(context.arrays.destroy(0) == Status::invalid_value);
  CHECK(context.arrays.destroy(second) == Status::success);
  CHECK(context.arrays.destroy(second) == Status::invalid_value);
  CHECK(context.charged() == DriverArrays::zeros_bytes + page);
  CHECK(context.contents.arrays.size() == 1);
  CHECK(context.create(plane) > second + 4 * mebi);
}

TEST_CASE("tiles count, as far as they are known") {
  CHECK(charge_of({.width = 1, .texel = {TexelFormat::u8, 1}}) == page);
  // Rows of 64 bytes.
  CHECK(charge_of({.width = 1, .height = 1 << 14, .texel = {TexelFormat::u8, 1}}) == mebi);
  CHECK(charge_of({.width = 1 << 10, .height = 129}) == 4096 * 256);
  CHECK(charge_of({.width = 1 << 10, .height = 128, .depth = 33}) == 4096 * 128 * 64);
  CHECK(charge_of({.width = 1 << 10, .height = 128, .depth = 33, .layered = true}) == 4096 * 128 * 33);
  CHECK(charge_of({.width = 1 << 10, .height = 1 << 10, .levels = 2}) == 5 * mebi);
}

TEST_CASE("what does not fit the share is refused") {
  ContextArrays context(DriverArrays::zeros_bytes + mebi);
  device::Address base = 0;
  CHECK(context.arrays.create({.width = 1 << 10, .height = 1 << 10}, base) == Status::out_of_memory);
  CHECK(context.arrays.create({.width = PEGASUS_ARRAY_EXTENT_MAX,
                               .height = PEGASUS_ARRAY_EXTENT_MAX,
                               .depth = PEGASUS_ARRAY_EXTENT_MAX,
                               .texel = {TexelFormat::f32, 4},
                               .layered = true,
                               .levels = PEGASUS_ARRAY_LEVELS_MAX},
                              base) == Status::out_of_memory);
  CHECK(context.contents.arrays.empty());
  CHECK(context.charged() == 0);
  CHECK(base == 0);
  CHECK(context.arrays.create(plane, base) == Status::success);
}

TEST_CASE("a driver without arrays makes none") {
  ContextArrays context;
  device::Address base = 0;
  SECTION("arrays") { context.driver.cuArray3DCreate = nullptr; }
  SECTION("copies") { context.driver.cuMemcpy3DAsync = nullptr; }
  SECTION("levels") { context.driver.cuMipmappedArrayGetLevel = nullptr; }
  CHECK(context.arrays.create(plane, base) == Status::not_supported);
  CHECK(context.charged() == 0);
}

TEST_CASE("an array for whose zeroes there is no room is not made") {
  ContextArrays context(mebi);
  device::Address base = 0;
  SECTION("in the share") {}
  SECTION("on the device") {
    context.quota.books.set(1, {64 * mebi});
    context.driver.cuMemAlloc = [](CUdeviceptr*, std::size_t) { return CUDA_ERROR_OUT_OF_MEMORY; };
  }
  CHECK(context.arrays.create(plane, base) == Status::out_of_memory);
  CHECK(context.contents.arrays.empty());
  CHECK(context.charged() == 0);
}

TEST_CASE("memory for zeroes that can be neither zeroed nor freed loses the context") {
  ContextArrays context;
  device::Address base = 0;
  context.driver.cuMemsetD8Async = [](CUdeviceptr, unsigned char, std::size_t, CUstream) {
    return CUDA_ERROR_INVALID_VALUE;
  };
  bool const frees = GENERATE(true, false);
  if (!frees) context.driver.cuMemFree = [](CUdeviceptr) { return CUDA_ERROR_INVALID_VALUE; };
  CHECK(context.arrays.create(plane, base) == Status::invalid_value);
  CHECK(context.contents.arrays.empty());
  CHECK(context.state.lost() == (frees ? Status::success : Status::unknown));
}

TEST_CASE("what a driver fails to make, to zero or to destroy is neither given nor forgotten") {
  ContextArrays context;
  device::Address const kept = context.create(plane);
  std::uint64_t const before = context.charged();
  device::Address base = 0;
  ArrayShape shape = plane;
  shape.levels = GENERATE(1u, 3u);
  SECTION("make") {
    context.contents.makes = false;
    CHECK(context.arrays.create(shape, base) == Status::invalid_value);
    CHECK(context.contents.mipmaps.empty());
    CHECK(context.charged() == before);
  }
  SECTION("zero") {
    context.contents.copies_left = shape.levels - 1;
    CHECK(context.arrays.create(shape, base) == Status::invalid_value);
    CHECK(context.contents.arrays.size() == 1);
    CHECK(context.contents.synchronized == 1); // some of the zeroes may be on their way
    CHECK(context.charged() == before);
    CHECK(context.state.lost() == Status::success);
  }
  SECTION("zero, or destroy") {
    context.contents.copies_left = 0;
    context.contents.destroys = false;
    CHECK(context.arrays.create(plane, base) == Status::invalid_value);
    CHECK(context.charged() == before + page);
    CHECK(context.state.lost() == Status::unknown);
  }
  SECTION("destroy") {
    context.contents.destroys = false;
    CHECK(context.arrays.destroy(kept) == Status::invalid_value);
    CHECK(context.charged() == before);
    context.contents.destroys = true;
    CHECK(context.arrays.destroy(kept) == Status::success);
  }
  CHECK(base == 0);
}
