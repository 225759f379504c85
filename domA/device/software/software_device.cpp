// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/software_device.h"

#include "domA/device/attributes.h"
#include "domA/device/software/context.h"
#include "domA/device/software/exec/device_limits.h"

#include <algorithm>
#include <string_view>

namespace pegasus::software {
namespace {

struct Attribute {
  std::size_t number; // CUdevice_attribute
  std::int32_t value;
};

// All attributes that are not 0, but those of DeviceLimits. These are 0 on purpose: no concurrent kernels (31), no copy engine beside
// the kernel engine (15, 40), no memory of the host but that which was
// allocated to be shared (18, 88, 91, 99-101), no stream priorities (78), no preemption (90), no clusters (96, 120), no
// memory pools or shareable handles (103-105, 115-119, 124, 125, 128, 141-146), no
// L1 cache (79, 80).
using namespace device::attribute;
constexpr Attribute attributes[] = {
    {1, max_threads_per_block},
    {2, max_block[0]},
    {3, max_block[1]},
    {4, max_block[2]},
    {5, max_grid[0]},
    {6, max_grid[1]},
    {7, max_grid[2]},
    {8, shared_per_block},
    {9, 64 * 1024},               // constant memory
    {10, lanes_per_warp},         // warp size
    {11, 0x7fffffff},             // pitch of copies
    {12, max_resident_registers}, // registers per block
    {clock_khz, 1'000'000},       // kHz: the device's clock counts nanoseconds
    {14, 512},                    // texture alignment: cudaMallocPitch aligns rows to it
    {multiprocessors, 1},         // pegasusd may say otherwise
    {can_map_host_memory, 1},
    {30, 512},       // surface alignment
    {36, 1'000'000}, // memory kHz; with the next one 16 GB/s, one CPU core's share of its memory
    {37, 64},        // bits of the memory bus
    {38, 1 << 20},   // L2 cache
    {41, 1},         // unified addressing: a pointer's value determines its kind
    {51, 32},        // texture pitch alignment
    {82, max_resident_registers},
    {managed_memory, 1},
    {86, 1}, // native atomic operations between host and device
    {87, 2}, // single to double precision speed
    {concurrent_managed_access, 1},
    {95, 1},   // cooperative launches
    {102, 1},  // virtual memory management
    {126, 1},  // memory synchronization domains
    {131, -1}, // NUMA node of the memory: not applicable
    {134, -1},
};

void add(DeviceLimits const& limits, device::Profile& profile) {
  auto const set = [&](std::size_t number, std::uint32_t value) {
    profile.attribute[number] = static_cast<std::int32_t>(value);
  };
  set(threads_per_multiprocessor, limits.resident_threads);
  set(compute_capability_major, limits.compute_capability / 10);
  set(compute_capability_minor, limits.compute_capability % 10);
  set(81, limits.resident_shared);
  set(97, limits.shared_per_block_optin);
  set(106, limits.resident_blocks);
  set(111, limits.shared_reserved_per_block);
}

// The largest textures and surfaces of compute capability 7.5 and 8.0, in texels and layers: consecutive attributes.
struct Extents {
  std::size_t first;
  std::initializer_list<std::int32_t> values;
};
constexpr Extents extents[] = {
    {21, {131072}},                 // textures of one dimension
    {22, {131072, 65536}},          // of two
    {24, {16384, 16384, 16384}},    // of three
    {27, {32768, 32768, 2048}},     // of two, layered
    {42, {32768, 2048}},            // of one, layered
    {44, {1, 32768, 32768}},        // of two, from which a kernel can gather
    {47, {8192, 8192, 32768}},      // of three, the other way round
    {52, {32768}},                  // cubemaps
    {53, {32768, 2046}},            // layered
    {55, {32768}},                  // surfaces of one dimension
    {56, {131072, 65536}},          // of two
    {58, {16384, 16384, 16384}},    // of three
    {61, {32768, 2048}},            // of one, layered
    {63, {32768, 32768, 2048}},     // of two, layered
    {66, {32768}},                  // cubemaps
    {67, {32768, 2046}},            // layered
    {69, {1 << 28}},                // textures of memory without rows
    {70, {131072, 65000, 2097120}}, // of rows of memory, and their pitch
    {73, {32768, 32768}},           // of two dimensions, with levels
    {77, {32768}},                  // of one
};

} // namespace

device::Profile software_profile(std::uint64_t memory_bytes, std::uint32_t compute_capability) {
  device::Profile profile;
  profile.name = "Pegasus software accelerator"; // PEGASUS_SOFTWARE_ACCELERATOR of the guests
  constexpr std::string_view uuid = "PegasusSoftware1";
  static_assert(uuid.size() == 16);
  std::transform(uuid.begin(), uuid.end(), profile.uuid.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  profile.memory_bytes = memory_bytes;
  for (auto const& [number, value] : attributes)
    profile.attribute[number] = value;
  add(device_limits_of(compute_capability), profile);
  for (auto const& [first, values] : extents)
    std::ranges::copy(values, profile.attribute.begin() + first);
  return profile;
}

std::uint64_t mappable_bytes(std::uint64_t memory_bytes) { return Memory::mappable_bytes(memory_bytes); }

std::unique_ptr<device::Context> make_software_context(Options const& options) {
  return std::make_unique<SoftwareContext>(
      options, Isa::best,
      Limits{.forgives_gaps = options.forgives_gaps, .device = device_limits_of(options.compute_capability)});
}

} // namespace pegasus::software
