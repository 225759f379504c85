// SPDX-License-Identifier: Apache-2.0
// Images to modules: as they came when the driver takes them, linked from their PTX when it does not; and
// kernels rewritten for slicing.
#include "domA/device/cuda/context.h"
#include "domA/device/image/image.h"
#include "domA/device/image/image_set.h"
#include "domA/device/slicing/slice.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr std::uint32_t one_image = 1, set_of_images = 2; // image_kind

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

device::Status CudaContext::load_module(std::span<const std::byte> image, std::uint32_t image_kind,
                                        std::unique_ptr<device::Module>& module, std::string& log) {
  if (lost_ != Status::success) return lost_;
  std::vector<std::byte> own(image.begin(), image.end());
  own.resize(own.size() + 8); // PTX ends with a NUL
  std::span<const std::byte> first(own.data(), image.size());
  if (image_kind == set_of_images) {
    auto const parts = image::parts_of_set(first);
    if (!parts || parts->empty()) return Status::invalid_image;
    first = parts->front(); // the linked one; the others are its units, in PTX
  } else if (image_kind != one_image) {
    return Status::invalid_image;
  }
  CUmodule loaded = nullptr;
  JitLog jit;
  CUresult result = jit.load(driver(), loaded, first.data());
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && image_kind == set_of_images) {
    auto units = image::ptx_of_image({own.data(), image.size()}, image_kind, compute_capability_);
    if (units) result = link(driver(), *units, loaded, jit);
  }
  if (result != CUDA_SUCCESS) {
    log = fmt::format("{}{}{}", driver().name_of(result), jit.text().empty() ? "" : ": ", jit.text());
    diagnose("a CUDA module could not be loaded: " + log);
    return answer(result);
  }
  own.resize(image.size());
  module = std::make_unique<CudaModule>(*this, loaded, std::move(own), image_kind);
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
