// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own runtime asks the driver for undocumented tables. Nothing stands behind that call here; the
// program is told what to link instead.
#include "frontend/cuda/driver.h"

CUresult cuGetExportTable(void const** table, CUuuid const*) {
  static bool said = false;
  pegasus::driver::say_once(said, "this program embeds NVIDIA's CUDA runtime (libcudart_static.a, or a "
                                  "library that contains it), which works "
                                  "with NVIDIA's driver only.\n"
                                  "pegasus: Relink it with `nvcc -cudart shared` (CMake: set "
                                  "CMAKE_CUDA_RUNTIME_LIBRARY to Shared), or with "
                                  "Pegasus's own libcudart_static.a.");
  if (table != nullptr) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}
