// SPDX-License-Identifier: Apache-2.0
// The oracle is cuda_occupancy.h of the CUDA toolkit, the documented way to compute this offline.
#include "frontend/cuda/occupancy.h"

#include "frontend/cuda/testing/fake_channel.h"

#include <catch2/catch.hpp>
#include <cuda_occupancy.h>

#include <limits>

using namespace pegasus::driver;

namespace {

struct Device {
  char const* name;
  int major, minor, threads, blocks, shared_kib, reserved, optin_kib;
};

constexpr Device devices[] = {
    {"7.5", 7, 5, 1024, 16, 64, 0, 64},
    {"8.0", 8, 0, 2048, 32, 164, 1024, 163},
    {"8.6", 8, 6, 1536, 16, 100, 1024, 99},
    {"9.0", 9, 0, 2048, 32, 228, 1024, 227},
};

SmLimits limits_for(Device const& d) {
  SmLimits limits;
  limits.compute_major = d.major;
  limits.threads_per_block = 1024;
  limits.threads = d.threads;
  limits.blocks = d.blocks;
  limits.registers = limits.registers_per_block = 65536;
  limits.shared_bytes = static_cast<std::uint64_t>(d.shared_kib) * 1024;
  limits.reserved_shared_per_block = static_cast<std::uint64_t>(d.reserved);
  return limits;
}

cudaOccDeviceProp oracle_for(Device const& d) {
  cudaOccDeviceProp p;
  p.computeMajor = d.major;
  p.computeMinor = d.minor;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = d.threads;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(d.shared_kib) * 1024;
  p.numSms = 10;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(d.optin_kib) * 1024;
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(d.reserved);
  return p;
}

int oracle_blocks(Device const& d, KernelNeeds const& kernel, int threads, std::size_t dynamic_shared) {
  cudaOccDeviceProp const properties = oracle_for(d);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = kernel.max_threads_per_block;
  attributes.numRegs = kernel.registers;
  attributes.sharedSizeBytes = kernel.static_shared;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(d.optin_kib) * 1024 - kernel.static_shared;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.cacheConfig = CACHE_PREFER_SHARED;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult answer{};
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&answer, &properties, &attributes, &state, threads,
                                                  dynamic_shared) == CUDA_OCC_SUCCESS);
  return answer.activeBlocksPerMultiprocessor;
}

} // namespace

TEST_CASE("active blocks agree with the toolkit's own calculation") {
  for (Device const& d : devices)
    for (int registers : {0, 16, 32, 37, 64, 96, 128, 168, 255})
      for (int threads : {1, 31, 32, 64, 96, 100, 128, 192, 256, 384, 512, 640, 768, 1000, 1024})
        for (std::size_t static_shared :
             {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{20000}})
          for (std::size_t dynamic :
               {std::size_t{0}, std::size_t{100}, std::size_t{8192}, std::size_t{30000}}) {
            KernelNeeds const kernel{1024, registers, static_shared};
            INFO(d.name << " registers " << registers << " threads " << threads << " static " << static_shared
                        << " dynamic " << dynamic);
            CHECK(active_blocks(limits_for(d), kernel, threads, dynamic) ==
                  oracle_blocks(d, kernel, threads, dynamic));
          }
}

TEST_CASE("what cannot run at all has no active blocks") {
  SmLimits const limits = limits_for(devices[0]);
  CHECK(active_blocks(limits, {1024, 32, 0}, 1025, 0) == 0);
  CHECK(active_blocks(limits, {256, 32, 0}, 257, 0) == 0);
  CHECK(active_blocks(limits, {1024, 128, 0}, 1024, 0) == 0);
  CHECK(active_blocks(limits, {1024, 32, 0}, 32, 65537) == 0);
  CHECK(active_blocks(limits, {1024, 32, 0}, 32, std::numeric_limits<std::uint64_t>::max()) == 0);
}

TEST_CASE("the best block size") {
  SmLimits const limits = limits_for(devices[0]);
  auto const none = [](int) { return std::uint64_t{0}; };
  CHECK(best_block(limits, {1024, 32, 0}, 0, none).block_threads == 1024);
  CHECK(best_block(limits, {1024, 32, 0}, 0, none).blocks_per_sm == 1);
  CHECK(best_block(limits, {1024, 32, 0}, 256, none).block_threads == 256);
  CHECK(best_block(limits, {1024, 32, 0}, 256, none).blocks_per_sm == 4);
  CHECK(best_block(limits, {1024, 32, 0}, 100, none).block_threads == 64); // 16 blocks of 64 are 1024 threads
  CHECK(best_block(limits, {1024, 128, 0}, 0, none).block_threads == 512);
  // 128 bytes a thread: with any block size, 64 KiB are enough for 512 threads
  auto const proportional = [](int threads) { return static_cast<std::uint64_t>(threads) * 128; };
  BlockChoice const shared = best_block(limits, {1024, 32, 0}, 0, proportional);
  CHECK(shared.block_threads * shared.blocks_per_sm == 512);
}

TEST_CASE("dynamic shared memory that leaves room for the blocks") {
  SmLimits const turing = limits_for(devices[0]);
  CHECK(available_dynamic_shared(turing, {1024, 32, 0}, 1, 65536) == 65536);
  CHECK(available_dynamic_shared(turing, {1024, 32, 0}, 4, 65536) == 16384);
  CHECK(available_dynamic_shared(turing, {1024, 32, 1000}, 4, 65536) == 15384);
  SmLimits const ampere = limits_for(devices[1]);
  std::uint64_t const room = available_dynamic_shared(ampere, {1024, 32, 0}, 3, 163 * 1024);
  CHECK(active_blocks(ampere, {1024, 32, 0}, 128, room) == 3);
  CHECK(active_blocks(ampere, {1024, 32, 0}, 128, room + 128) == 2);
}

TEST_CASE("absurd attributes of a device give no occupancy, at once") {
  int const number =
      GENERATE(std::numeric_limits<int>::min(), -1, 0, 1, 1 << 20, 1 << 30, std::numeric_limits<int>::max());
  auto& channel = testing::fake();
  pegasus_device_profile const profile = channel.profile();
  for (CUdevice_attribute const lie :
       {CU_DEVICE_ATTRIBUTE_WARP_SIZE, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR}) {
    channel.set_attribute(lie, number);
    SmLimits const limits = limits_of(channel);
    for (int const registers : {0, 1, 4096, 1 << 20}) {
      KernelNeeds const kernel{1 << 20, registers, 0};
      BlockChoice const best = best_block(limits, kernel, 0, [](int) { return std::uint64_t{0}; });
      CHECK(best.block_threads <= 1 << 16);
      CHECK(active_blocks(limits, kernel, 5, 0) >= 0);
    }
    channel.set_attribute(lie, profile.attribute[lie]);
  }
}
