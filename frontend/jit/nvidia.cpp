// SPDX-License-Identifier: Apache-2.0
#include "frontend/jit/nvidia.h"

#include <dlfcn.h>

namespace pegasus::jit {

void* nvidia_function(char const* name) {
  // This front end is linked with it, so it is there. The audit library translates its name (frontend/relink).
  static void* const library = dlopen(PEGASUS_NVIDIA_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

} // namespace pegasus::jit
