// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/errors.h"

#include <algorithm>
#include <iterator>

namespace pegasus::driver {
namespace {

constexpr ErrorText error_texts[] = {
#define PEGASUS_ERROR(number, name, text) {name, #name, text},
#include "frontend/cuda/errors.inc"
#undef PEGASUS_ERROR
};

#define PEGASUS_ERROR(number, name, text) static_assert(name == number);
#include "frontend/cuda/errors.inc"
#undef PEGASUS_ERROR

static_assert(std::is_sorted(std::begin(error_texts), std::end(error_texts),
                             [](auto const& a, auto const& b) { return a.value < b.value; }));

} // namespace

ErrorText const* error_text(CUresult value) {
  auto const* const found = std::lower_bound(std::begin(error_texts), std::end(error_texts), value,
                                             [](auto const& e, CUresult v) { return e.value < v; });
  return found != std::end(error_texts) && found->value == value ? found : nullptr;
}

// Errors after which the context cannot be used; CUDA's documentation says so at each of these codes.
bool is_sticky(CUresult value) {
  switch (value) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

} // namespace pegasus::driver

using pegasus::driver::error_text;

CUresult cuGetErrorName(CUresult error, char const** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto const* const found = error_text(error);
  *text = found == nullptr ? nullptr : found->name;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, char const** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto const* const found = error_text(error);
  *text = found == nullptr ? nullptr : found->text;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
