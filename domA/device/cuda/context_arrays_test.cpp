// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces by the calls of a context, up to its end.
#include "domA/device/cuda/context.h"

#include "domA/device/cuda/testing/virtual_arrays.h"
#include "domA/device/memory/quota_test_fixture.h"

#include <array>
#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
namespace device = pegasus::device;
using device::Address;
using device::Status;
using device::TextureSource;

namespace {

unsigned contexts_destroyed = 0;

struct WholeContext {
  Timeline time;
  ArrayDriver contents;
  Driver driver;
  pegasus::memory::test::QuotaMemory quota{1 << 30};
  pegasus::memory::Quota share = quota.take(0, 1, {16 << 20});
  std::unique_ptr<device::Context> context;

  WholeContext() {
    timeline = &time;
    array_driver = &contents;
    time.fill_takes = Nanos{0};
    driver = driver_in_virtual_time();
    add_memory(driver);
    add_arrays(driver);
    add_textures(driver);
    driver.cuDeviceGet = [](CUdevice* gpu, int) {
      *gpu = 0;
      return CUDA_SUCCESS;
    };
    driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) {
      *value = 0;
      return CUDA_SUCCESS;
    };
    driver.cuCtxCreate = [](CUcontext*, unsigned, CUdevice) { return CUDA_SUCCESS; };
    // What it does not know any more it cannot destroy.
    driver.cuCtxDestroy = [](CUcontext) {
      contexts_destroyed += array_driver->textures.empty() && array_driver->surfaces.empty() &&
                                    array_driver->arrays.empty() && array_driver->memory.empty()
                                ? 1
                                : 0;
      return CUDA_SUCCESS;
    };
    contexts_destroyed = 0;
    Options options;
    options.driver = &driver;
    options.memory = share;
    auto made = make_cuda_context(options);
    REQUIRE(made);
    context = std::move(*made);
  }
};

} // namespace

TEST_CASE("a context has arrays, textures and surfaces, and its end is theirs") {
  WholeContext whole;
  device::Context& context = *whole.context;
  Address base = 0;
  std::uint64_t texture = 0, surface = 0;
  REQUIRE(context.create_array({.width = 16, .height = 8, .surface = true}, base) == Status::success);
  REQUIRE(context.create_texture({.kind = TextureSource::Kind::level, .address = base}, {}, texture) ==
          Status::success);
  REQUIRE(context.create_surface(base, surface) == Status::success);
  std::array<std::byte, 512> ones{}, there{};
  ones.fill(std::byte{1});
  REQUIRE(context.copy_to_device(nullptr, {base, 0, 512, 1}, ones) == Status::success);
  REQUIRE(context.copy_from_device(nullptr, there, {base, 64, 64, 8}) == Status::success);
  CHECK(there == ones);
  CHECK(context.destroy_texture(texture) == Status::success);
  CHECK(context.destroy_surface(surface) == Status::success);
  CHECK(context.destroy_array(base) == Status::success);
  CHECK(context.copy_to_device(nullptr, {base, 0, 512, 1}, ones) == Status::invalid_value);
  REQUIRE(context.create_array({.width = 16, .surface = true}, base) == Status::success);
  REQUIRE(context.create_texture({.kind = TextureSource::Kind::level, .address = base}, {}, texture) ==
          Status::success);
  REQUIRE(context.create_surface(base, surface) == Status::success);
  whole.context.reset();
  CHECK(contexts_destroyed == 1);
}

TEST_CASE("a program is told whose limit an array does not fit") {
  WholeContext whole;
  Address base = 0;
  // 16 MiB, and those of the zeroes.
  CHECK(whole.context->create_array({.width = 2048, .height = 2048}, base) == Status::out_of_memory);
  CHECK(whole.context->take_output(1000).text.find("asks for 20.0 MiB") != std::string::npos);
}

TEST_CASE("a context that was lost refuses arrays, textures and surfaces") {
  WholeContext whole;
  device::Context& context = *whole.context;
  Address base = 0;
  std::uint64_t handle = 0;
  whole.driver.cuCtxSynchronize = [] { return CUDA_ERROR_ILLEGAL_ADDRESS; };
  CHECK(context.synchronize() == Status::illegal_address);
  CHECK(context.create_array({.width = 16}, base) == Status::illegal_address);
  CHECK(context.destroy_array(base) == Status::illegal_address);
  CHECK(context.create_texture({}, {}, handle) == Status::illegal_address);
  CHECK(context.destroy_texture(1) == Status::illegal_address);
  CHECK(context.create_surface(base, handle) == Status::illegal_address);
  CHECK(context.destroy_surface(1) == Status::illegal_address);
}
