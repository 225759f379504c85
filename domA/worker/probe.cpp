// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/probe.h"

#include "domA/device/cuda/profile.h"
#include "domA/worker/wire_profile.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace pegasus::worker {
namespace {

using cuda::Driver;

// What the device has less of while a second context is there.
std::uint64_t context_cost(Driver const& driver, int ordinal) {
  CUdevice device = 0;
  CUcontext first = nullptr, second = nullptr;
  std::size_t before = 0, after = 0, total = 0;
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
      driver.cuCtxCreate(&first, nullptr, 0, device) != CUDA_SUCCESS)
    return 0;
  bool const known = driver.cuMemGetInfo(&before, &total) == CUDA_SUCCESS &&
                     driver.cuCtxCreate(&second, nullptr, 0, device) == CUDA_SUCCESS &&
                     driver.cuMemGetInfo(&after, &total) == CUDA_SUCCESS;
  if (second != nullptr) driver.cuCtxDestroy(second);
  driver.cuCtxDestroy(first);
  return known && after < before ? before - after : 0;
}

// The error leaves what was found out before it.
tl::expected<void, std::string> look(char const* library, int ordinal, Probed& found) {
  auto const driver = Driver::load(library);
  if (!driver) return tl::unexpected(driver.error());
  auto const count = cuda::device_count(*driver);
  if (!count) return tl::unexpected(count.error());
  found.gpus = static_cast<std::uint32_t>(*count);
  if (ordinal < 0 || ordinal >= *count)
    return tl::unexpected(fmt::format("there is no GPU {}: {} has {}", ordinal, library, *count));
  auto const profile = cuda::profile_of(*driver, ordinal);
  if (!profile) return tl::unexpected(profile.error());
  found.context_bytes = context_cost(*driver, ordinal);
  found.device = to_wire(*profile);
  return {};
}

} // namespace

int probe(char const* driver, int ordinal) {
  int const answer = dup(STDOUT_FILENO); // a driver may print
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Probed result{};
  if (auto const found = look(driver, ordinal, result); !found)
    found.error().copy(result.error, sizeof result.error - 1);
  return write(answer, &result, sizeof result) == sizeof result ? 0 : 70;
}

} // namespace pegasus::worker
