// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/cuda_accelerator.h"

#include "domA/device/cuda/cuda_device.h"
#include "domA/device/cuda/empty_kernel.h"
#include "domA/device/cuda/profile.h"
#include "domA/device/cuda/switch_cost.h"
#include "domA/worker/wire_profile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pegasus::worker {
namespace {

class CudaAccelerator final : public Accelerator {
public:
  CudaAccelerator(cuda::Driver driver, int ordinal, Start const& start, Shared const& shared, int output_fd)
      : driver_(driver), options_{.driver = &driver_,
                                  .ordinal = ordinal,
                                  .memory = shared.memory,
                                  .context_bytes = start.device.context_bytes,
                                  .slice = device::Nanos(start.device.slice_ns),
                                  .queued_launches = start.device.queued_launches,
                                  .output_fd = output_fd,
                                  .executing_since = &shared.executing_since,
                                  .pinned = shared.arena,
                                  .code_cache = shared.code_cache,
                                  .pageable = &shared.pageable} {}

  // Called before the sandbox: the driver starts its threads, finds its files and loads its compiler.
  tl::expected<void, std::string> prepare() {
    auto context = cuda::make_cuda_context(options_);
    if (!context) return tl::unexpected(context.error());
    first_ = std::move(*context);
    return cuda::try_compiler(driver_);
  }
  std::unique_ptr<device::Context> make_context() override {
    if (first_) return std::move(first_);
    auto context = cuda::make_cuda_context(options_);
    if (context) return std::move(*context);
    std::fprintf(stderr, "pegasus-avcpu: %s\n", context.error().c_str());
    std::_Exit(Exit::no_context);
  }
  // The driver maps much memory and touches little of it; this limit keeps a guest from filling
  // the host with images.
  std::uint64_t private_bytes() const override { return std::uint64_t{32} << 30; }

private:
  cuda::Driver driver_;
  cuda::Options options_;
  std::unique_ptr<device::Context> first_;
};

// The driver prints the output of kernels to standard output: this replaces it with a file in memory.
int capture_output() {
  int const file = memfd_create("pegasus-printf", MFD_CLOEXEC);
  if (file < 0 || dup2(file, STDOUT_FILENO) < 0) return -1;
  close(file);
  return STDOUT_FILENO;
}

// How much less memory the device has while a second context exists.
std::uint64_t context_cost(cuda::Driver const& driver, int ordinal) {
  CUdevice device = 0;
  CUcontext first = nullptr, second = nullptr;
  std::size_t before = 0, after = 0, total = 0;
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
      driver.cuCtxCreate(&first, 0, device) != CUDA_SUCCESS)
    return 0;
  bool const known = driver.cuMemGetInfo(&before, &total) == CUDA_SUCCESS &&
                     driver.cuCtxCreate(&second, 0, device) == CUDA_SUCCESS &&
                     driver.cuMemGetInfo(&after, &total) == CUDA_SUCCESS;
  if (second != nullptr) driver.cuCtxDestroy(second);
  driver.cuCtxDestroy(first);
  return known && after < before ? before - after : 0;
}

} // namespace

tl::expected<void, std::string> probe_cuda(Wanted const& wanted, Probed& found) {
  auto const& [library, ordinal, unused] = wanted;
  auto const driver = cuda::Driver::load(library);
  if (!driver) return tl::unexpected(driver.error());
  auto const count = cuda::device_count(*driver);
  if (!count) return tl::unexpected(count.error());
  found.count = static_cast<std::uint32_t>(*count);
  if (ordinal < 0 || ordinal >= *count)
    return tl::unexpected(fmt::format("there is no GPU {}: {} has {}", ordinal, library, *count));
  auto const profile = cuda::profile_of(*driver, ordinal);
  if (!profile) return tl::unexpected(profile.error());
  found.context_bytes = context_cost(*driver, ordinal);
  found.switch_ns = cuda::switch_cost(*driver, ordinal).value_or(-1);
  found.device = to_wire(*profile);
  return {};
}

tl::expected<std::unique_ptr<Accelerator>, std::string> open_cuda(Start const& start, Shared const& shared) {
  int const output_fd = capture_output();
  if (output_fd < 0) return tl::unexpected(std::string("no file for printf: ") + std::strerror(errno));
  auto driver = cuda::Driver::load(start.device.driver);
  if (!driver) return tl::unexpected(driver.error());
  auto const ordinal = cuda::ordinal_of(*driver, start.device.uuid);
  if (!ordinal) return tl::unexpected(ordinal.error());
  auto accelerator = std::make_unique<CudaAccelerator>(*driver, *ordinal, start, shared, output_fd);
  if (auto const ready = accelerator->prepare(); !ready) return tl::unexpected(ready.error());
  return accelerator;
}

} // namespace pegasus::worker
