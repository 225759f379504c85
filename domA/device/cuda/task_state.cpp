// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/task_state.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace pegasus::cuda {
namespace {

constexpr std::size_t max_diagnostic_bytes = 64 * 1024;

// Errors after which a context cannot be used (cuda.h, CUresult).
bool loses_context(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

} // namespace

void TaskState::diagnose(std::string_view text) {
  if (diagnostics_.size() + text.size() < max_diagnostic_bytes)
    diagnostics_ += fmt::format("pegasus: {}\n", text);
}

void TaskState::note(std::string text) {
  if (notes_left_ == 0) return;
  --notes_left_;
  // names come from the guest
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  std::fprintf(stderr, "pegasus-avcpu: %.500s\n", text.c_str());
}

device::Status TaskState::answer(CUresult result) {
  if (loses_context(result) && lost_ == Status::success) {
    lost_ = status_of(result);
    diagnose(
        fmt::format("the GPU reports {}: this program's device context is lost", driver_.name_of(result)));
  }
  return status_of(result);
}

device::Status TaskState::synchronized(CUresult result) {
  queue_.collect();
  printed_.fetch(printf_bytes_);
  return answer(result);
}

device::Output TaskState::take_output(std::size_t bytes) {
  using Kind = device::Output::Kind;
  if (printed_.pending()) return {Kind::printf_text, printed_.take(bytes)};
  std::string text = diagnostics_.substr(0, bytes);
  diagnostics_.erase(0, text.size());
  return {Kind::diagnostic, std::move(text)};
}

} // namespace pegasus::cuda
