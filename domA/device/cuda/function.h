// SPDX-License-Identifier: Apache-2.0
// A kernel of a loaded module.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/kernel_time.h"

#include <map>
#include <memory>
#include <string>

namespace pegasus::cuda {

class CudaModule;

// A kernel rewritten so that a launch can be split (domA/device/slicing), compiled by the driver.
struct SlicedKernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  std::uint32_t parameter_offset = 0; // the offset of the piece, behind the kernel's own parameters
};

class CudaFunction final : public device::Function {
public:
  ~CudaFunction() override;
  CudaFunction(CudaFunction const&) = delete;
  CudaFunction& operator=(CudaFunction const&) = delete;
  [[nodiscard]] static std::unique_ptr<CudaFunction> make(CudaModule& module, std::string name, CUfunction);

  [[nodiscard]] device::FunctionInfo const& info() const override { return info_; }
  [[nodiscard]] device::Status set_attribute(std::int32_t attribute, std::int32_t value) override;

  [[nodiscard]] CUfunction handle() const { return function_; }
  [[nodiscard]] std::shared_ptr<KernelTime> const& time() const { return time_; }
  // How many blocks of this shape can be on the device at once: these may wait for each other.
  [[nodiscard]] std::uint64_t resident(std::uint32_t threads, std::uint32_t dynamic_shared_bytes) const;
  // Rewritten, compiled and loaded at the first call, which can take seconds; nullptr if the kernel cannot be split.
  [[nodiscard]] SlicedKernel const* sliced();
  [[nodiscard]] bool slicing_tried() const { return slicing_tried_; }
  [[nodiscard]] bool is_sliced() const { return sliced_.function != nullptr; }
  // Logs the split for the operator, once and whenever the size of the pieces has changed much.
  void tell_split(std::uint64_t blocks, std::uint64_t piece);

private:
  CudaFunction(CudaModule& module, std::string name, CUfunction function)
      : module_(module), name_(std::move(name)), function_(function) {}

  CudaModule& module_;
  std::string name_;
  CUfunction function_;
  device::FunctionInfo info_;
  std::shared_ptr<KernelTime> time_ = std::make_shared<KernelTime>();
  bool slicing_tried_ = false;
  std::uint64_t piece_told_ = 0;
  SlicedKernel sliced_;
  std::map<std::int32_t, std::int32_t> attributes_; // set by the program: they also apply to the pieces
};

} // namespace pegasus::cuda
