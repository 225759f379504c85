// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/module_loader.h"

#include "domA/device/cuda/jit.h"
#include "domA/device/image/device_memory.h"
#include "domA/device/image/image.h"
#include "domA/device/image/image_set.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr std::uint32_t set_of_images = 2; // image_kind

} // namespace

// The driver trusts the sizes in an image; these were checked before.
device::Status ModuleLoader::give_to_driver(std::span<std::byte const> image, std::uint32_t image_kind,
                                            CUmodule& loaded, std::string& log) {
  std::span<std::byte const> first = image;
  if (image_kind == set_of_images) {
    auto const parts = image::parts_of_set(image);
    if (!parts || parts->empty()) return Status::invalid_image;
    first = parts->front(); // the linked part; the other parts are its units, in PTX
  }
  std::uint32_t const capability = home_.facts.compute_capability;
  Jit jit(home_.driver);
  CUresult result = CUDA_SUCCESS;
  if (auto const ptx = image::ptx_to_compile(first, capability); ptx && image_kind != set_of_images) {
    result = jit.compile(loaded, *ptx, capability, home_.cache);
  } else {
    std::vector<std::byte> own(first.begin(), first.end());
    own.resize(own.size() + 8); // PTX ends with a NUL
    result = jit.load(loaded, own.data());
  }
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && image_kind == set_of_images) {
    auto units = image::ptx_of_image(image, image_kind, capability);
    std::vector<std::byte> code;
    if (units) result = jit.link(loaded, *units, code);
  }
  if (result != CUDA_SUCCESS)
    log = fmt::format("{}{}{}", home_.driver.name_of(result), jit.log().empty() ? "" : ": ", jit.log());
  return home_.state.answer(result);
}

device::Status ModuleLoader::load(std::span<std::byte const> image, std::uint32_t image_kind,
                                  std::unique_ptr<device::Module>& module, std::string& log) {
  auto const refused = [&](Status status, std::string why) {
    log = std::move(why);
    home_.state.diagnose("a CUDA module could not be loaded: " + log);
    home_.memory.give_back();
    return status;
  };
  auto const needed = image::device_bytes(image, image_kind, home_.facts.compute_capability);
  if (!needed) return refused(needed.error().status, needed.error().message);
  std::uint64_t charged = needed->bytes;
  std::string const no_room =
      "its code and variables do not fit into the domain's share of the device's memory";
  if (!home_.memory.reserve(charged)) return refused(Status::out_of_memory, no_room);
  std::size_t before = 0, after = 0, total = 0;
  bool const measured = !needed->complete && home_.driver.cuMemGetInfo(&before, &total) == CUDA_SUCCESS;
  CUmodule loaded = nullptr;
  if (Status const status = give_to_driver(image, image_kind, loaded, log); status != Status::success)
    return refused(status, log);
  // Unknown PTX: charge the decrease of free device memory, although other workers may have caused
  // part of it.
  if (measured && home_.driver.cuMemGetInfo(&after, &total) == CUDA_SUCCESS && before > after)
    charged = std::max<std::uint64_t>(charged, before - after);
  if (!home_.memory.reserve(charged)) {
    home_.driver.cuModuleUnload(loaded);
    return refused(Status::out_of_memory, no_room);
  }
  home_.memory.pin(charged);
  module = std::make_unique<CudaModule>(home_, loaded, std::vector(image.begin(), image.end()), image_kind,
                                        charged);
  return Status::success;
}

} // namespace pegasus::cuda
