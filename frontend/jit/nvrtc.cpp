// SPDX-License-Identifier: Apache-2.0
// libnvrtc: its PTX instead of its machine code. NVRTC keeps the PTX of a program that it compiled for a real architecture.
#include "frontend/jit/accelerator.h"
#include "frontend/jit/nvidia.h"

#include <cstddef>

// As in nvrtc.h, which the build does without.
using nvrtcProgram = struct _nvrtcProgram*;
enum nvrtcResult : int { NVRTC_SUCCESS = 0, NVRTC_ERROR_INTERNAL_ERROR = 11 };
extern "C" {
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, std::size_t*);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*);
}

namespace {

using pegasus::jit::nvidia;

nvrtcResult ask_size(char const* name, nvrtcProgram program, std::size_t* bytes) {
  return nvidia<decltype(nvrtcGetCUBINSize)>(name, NVRTC_ERROR_INTERNAL_ERROR, program, bytes);
}

// Whether the program has machine code for an accelerator that cannot execute it.
bool has_unusable_code(nvrtcProgram program) {
  std::size_t bytes = 0;
  return ask_size("nvrtcGetCUBINSize", program, &bytes) == NVRTC_SUCCESS && bytes > 0 &&
         pegasus::jit::executes_ptx_only();
}

} // namespace

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
  return ask_size(has_unusable_code(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  char const* const name = has_unusable_code(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
  return nvidia<decltype(nvrtcGetCUBIN)>(name, NVRTC_ERROR_INTERNAL_ERROR, program, code);
}
