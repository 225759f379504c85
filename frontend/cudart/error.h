// SPDX-License-Identifier: Apache-2.0
// The error state of a thread (CUDA Runtime API, "Error Handling"). Every call that fails records its
// error there; cudaGetLastError returns and clears it. An error that corrupted the context stays until the
// device is reset.
#pragma once

#include "frontend/cudart/api.h"

namespace pegasus::cudart {

// cudaError_t has had CUresult's numbers since CUDA 10.1. Codes that the runtime does not
// know become cudaErrorUnknown.
[[nodiscard]] cudaError_t from_driver(CUresult result);

// Returns nullptr if there is no such error.
[[nodiscard]] char const* error_name(int error);
[[nodiscard]] char const* error_text(int error);

// "The only way to continue is to reset the device": the codes for which the CUDA documentation says so.
[[nodiscard]] bool is_sticky(cudaError_t error);

void record_error(cudaError_t error);
[[nodiscard]] cudaError_t last_error(); // of this thread
void forget_errors();                   // of this thread

// Wraps the result of an exported function: records a failure for cudaGetLastError.
inline cudaError_t finish(cudaError_t error) {
  if (error != cudaSuccess) record_error(error);
  return error;
}
inline cudaError_t finish(CUresult result) {
  return result == CUDA_SUCCESS ? cudaSuccess : finish(from_driver(result));
}

// Prints one line on stderr in a single write: the program may be killed right afterwards.
__attribute__((format(printf, 1, 2))) void say(char const* format, ...);

} // namespace pegasus::cudart
