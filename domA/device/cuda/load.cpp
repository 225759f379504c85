// SPDX-License-Identifier: Apache-2.0
// Images to modules: as they came when the driver takes them, linked from their PTX when it does not; and
// kernels rewritten for slicing.
#include "domA/device/cuda/context.h"
#include "domA/device/image/device_memory.h"
#include "domA/device/image/image.h"
#include "domA/device/image/image_set.h"
#include "domA/device/slicing/slice.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr std::uint32_t set_of_images = 2; // image_kind

// What the driver's compiler says.
class JitLog {
public:
  [[nodiscard]] CUresult load(Driver const& driver, CUmodule& module, void const* image) {
    return driver.cuModuleLoadDataEx(&module, image, static_cast<unsigned>(options.size()), options.data(),
                                     values.data());
  }
  [[nodiscard]] std::string text() const { return {errors.data()}; }

  std::array<char, 8192> errors{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{errors.data(), reinterpret_cast<void*>(errors.size())};
};

// PTX units to one loaded module.
CUresult link(Driver const& driver, std::vector<std::string>& units, CUmodule& module, JitLog& log) {
  CUlinkState state = nullptr;
  CUresult result = driver.cuLinkCreate(static_cast<unsigned>(log.options.size()), log.options.data(),
                                        log.values.data(), &state);
  if (result != CUDA_SUCCESS) return result;
  for (std::string& unit : units)
    if (result == CUDA_SUCCESS)
      result = driver.cuLinkAddData(state, CU_JIT_INPUT_PTX, unit.data(), unit.size() + 1, "unit", 0, nullptr,
                                    nullptr);
  void* cubin = nullptr;
  std::size_t bytes = 0;
  if (result == CUDA_SUCCESS) result = driver.cuLinkComplete(state, &cubin, &bytes);
  if (result == CUDA_SUCCESS) result = driver.cuModuleLoadDataEx(&module, cubin, 0, nullptr, nullptr);
  driver.cuLinkDestroy(state); // with the cubin
  return result;
}

} // namespace

// The driver reads an image by what that says of itself, which has been checked by now.
device::Status CudaContext::load(std::span<const std::byte> image, std::uint32_t image_kind, CUmodule& loaded,
                                 std::string& log) {
  std::span<const std::byte> first = image;
  if (image_kind == set_of_images) {
    auto const parts = image::parts_of_set(image);
    if (!parts || parts->empty()) return Status::invalid_image;
    first = parts->front(); // the linked one; the others are its units, in PTX
  }
  std::vector<std::byte> own(first.begin(), first.end());
  own.resize(own.size() + 8); // PTX ends with a NUL
  JitLog jit;
  CUresult result = jit.load(driver(), loaded, own.data());
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && image_kind == set_of_images) {
    auto units = image::ptx_of_image(image, image_kind, compute_capability_);
    if (units) result = link(driver(), *units, loaded, jit);
  }
  if (result != CUDA_SUCCESS)
    log = fmt::format("{}{}{}", driver().name_of(result), jit.text().empty() ? "" : ": ", jit.text());
  return answer(result);
}

device::Status CudaContext::load_module(std::span<const std::byte> image, std::uint32_t image_kind,
                                        std::unique_ptr<device::Module>& module, std::string& log) {
  if (lost_ != Status::success) return lost_;
  auto const refused = [&](Status status, std::string why) {
    log = std::move(why);
    diagnose("a CUDA module could not be loaded: " + log);
    settle();
    return status;
  };
  auto const needed = image::device_bytes(image, image_kind, compute_capability_);
  if (!needed) return refused(needed.error().status, needed.error().message);
  std::uint64_t charged = needed->bytes;
  std::string const no_room =
      "its code and variables do not fit into the domain's share of the device's memory";
  if (!charge(charged)) return refused(Status::out_of_memory, no_room);
  std::size_t before = 0, after = 0, total = 0;
  bool const measured = !needed->complete && driver().cuMemGetInfo(&before, &total) == CUDA_SUCCESS;
  CUmodule loaded = nullptr;
  if (Status const status = load(image, image_kind, loaded, log); status != Status::success)
    return refused(status, log);
  // Of a language that we do not know: what the device has less, though others may have taken some of it.
  if (measured && driver().cuMemGetInfo(&after, &total) == CUDA_SUCCESS && before > after)
    charged = std::max<std::uint64_t>(charged, before - after);
  if (!charge(charged)) {
    driver().cuModuleUnload(loaded);
    return refused(Status::out_of_memory, no_room);
  }
  module_bytes_ += charged;
  module = std::make_unique<CudaModule>(*this, loaded, std::vector(image.begin(), image.end()), image_kind,
                                        charged);
  return Status::success;
}

bool CudaModule::slice(std::string const& kernel, SlicedKernel& sliced) {
  auto const units = image::ptx_of_image(image_, image_kind_, context_.compute_capability());
  if (!units) return false;
  auto const address = [this](std::string_view variable) -> std::optional<std::uint64_t> {
    device::Range const range = global(variable);
    return range.bytes == 0 ? std::nullopt : std::optional(range.base);
  };
  std::string reason;
  for (std::string const& unit : *units) {
    auto const rewritten = slicing::slice(unit, kernel, address);
    if (!rewritten) {
      reason = rewritten.error();
      continue;
    }
    JitLog jit;
    CUresult result = jit.load(context_.driver(), sliced.module, rewritten->text.c_str());
    if (result == CUDA_SUCCESS)
      result = context_.driver().cuModuleGetFunction(&sliced.function, sliced.module, kernel.c_str());
    if (result != CUDA_SUCCESS) {
      context_.note(fmt::format("kernel {} is not split: {} {}", kernel, context_.driver().name_of(result),
                                jit.text()));
      return false;
    }
    sliced.parameter_offset = rewritten->parameter_offset;
    return true;
  }
  context_.note(fmt::format("kernel {} is not split: {}", kernel, reason));
  return false;
}

} // namespace pegasus::cuda
