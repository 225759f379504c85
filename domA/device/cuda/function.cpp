// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/function.h"

#include "domA/device/cuda/module.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr std::size_t max_parameters = 4096;         // as in the protocol
constexpr std::size_t max_parameter_bytes = 1 << 16; // no launch could have them

constexpr std::array required_cluster{CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};

// Fields of FunctionInfo that are attributes of the driver's function.
std::uint32_t attribute_of(Driver const& driver, CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  if (driver.cuFuncGetAttribute(&value, attribute, function) != CUDA_SUCCESS) return 0;
  return static_cast<std::uint32_t>(std::max(value, 0));
}

} // namespace

std::unique_ptr<CudaFunction> CudaFunction::make(CudaModule& module, std::string name, CUfunction handle) {
  Driver const& driver = module.home().driver;
  std::unique_ptr<CudaFunction> function(new CudaFunction(module, std::move(name), handle));
  device::FunctionInfo& info = function->info_;
  info.max_threads_per_block = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.static_shared_bytes = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info.const_bytes = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  info.local_bytes = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  info.registers = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_NUM_REGS);
  info.max_dynamic_shared_bytes =
      attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  info.ptx_version = static_cast<std::uint16_t>(attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_PTX_VERSION));
  info.binary_version =
      static_cast<std::uint16_t>(attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
  for (std::size_t axis = 0; axis < 3; ++axis)
    info.required_cluster[axis] =
        static_cast<std::uint8_t>(std::min(attribute_of(driver, handle, required_cluster[axis]), 255u));
  info.cluster_must_be_set = attribute_of(driver, handle, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) != 0;
  for (std::size_t i = 0; i < max_parameters; ++i) {
    std::size_t offset = 0, bytes = 0;
    if (driver.cuFuncGetParamInfo(handle, i, &offset, &bytes) != CUDA_SUCCESS) break; // past the last one
    if (offset > max_parameter_bytes || bytes > max_parameter_bytes - offset) break;
    info.parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
    info.parameter_bytes = std::max(info.parameter_bytes, static_cast<std::uint32_t>(offset + bytes));
  }
  return function;
}

device::Status CudaFunction::set_attribute(std::int32_t attribute, std::int32_t value) {
  if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return device::Status::invalid_value;
  auto const which = static_cast<CUfunction_attribute>(attribute);
  Driver const& driver = module_.home().driver;
  CUresult const result = driver.cuFuncSetAttribute(function_, which, value);
  if (result != CUDA_SUCCESS) return status_of(result);
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    info_.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (which == required_cluster[axis])
      info_.required_cluster[axis] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
  attributes_[attribute] = value;
  if (sliced_.function != nullptr) driver.cuFuncSetAttribute(sliced_.function, which, value);
  return device::Status::success;
}

std::uint64_t CudaFunction::resident(std::uint32_t threads, std::uint32_t dynamic_shared_bytes) const {
  int blocks = 0;
  if (module_.home().driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, function_, static_cast<int>(threads), dynamic_shared_bytes) != CUDA_SUCCESS)
    return std::numeric_limits<std::uint64_t>::max(); // unknown: the launch stays whole
  return static_cast<std::uint64_t>(std::max(blocks, 1)) * module_.home().facts.multiprocessors;
}

SlicedKernel const* CudaFunction::sliced() {
  if (!std::exchange(slicing_tried_, true) && module_.slice(name_, sliced_))
    for (auto const& [attribute, value] : attributes_)
      module_.home().driver.cuFuncSetAttribute(sliced_.function, static_cast<CUfunction_attribute>(attribute),
                                               value);
  return sliced_.function == nullptr ? nullptr : &sliced_;
}

void CudaFunction::tell_split(std::uint64_t blocks, std::uint64_t piece) {
  std::uint64_t const change = std::max(piece, piece_told_) - std::min(piece, piece_told_);
  if (change <= piece_told_ / 4) return;
  piece_told_ = piece;
  module_.home().state.note(
      fmt::format("kernel {} of {} blocks is split into pieces of {}", name_, blocks, piece));
}

CudaFunction::~CudaFunction() {
  if (sliced_.module != nullptr) module_.home().driver.cuModuleUnload(sliced_.module);
}

} // namespace pegasus::cuda
