// SPDX-License-Identifier: Apache-2.0
// The functions that nvcc's start-up code calls before main (crt/host_runtime.h). They only record and do not
// touch the device.
#include "frontend/cudart/registry.h"

#include <cstring>

using namespace pegasus::cudart;

namespace {

// Distinguishes a program linked with this archive from one linked with NVIDIA's; `pegasus run` searches the
// program for it.
__attribute__((used, retain)) constexpr char archive_mark[] = "PEGASUS_CUDART_STATIC";

Fatbin* image_of(void** handle) { return reinterpret_cast<Fatbin*>(handle); }

void say_out_of_memory(char const* name) {
  say("out of memory while registering %s: using it will fail", name);
}

void add(void** handle, Symbol::Kind kind, void const* host, char const* name, std::size_t bytes) {
  if (handle == nullptr || name == nullptr) return;
  if (!add_symbol(image_of(handle), kind, host, name, bytes)) say_out_of_memory(name);
}

} // namespace

PEGASUS_API void** __cudaRegisterFatBinary(void* fatbin) {
  FatbinWrapper wrapper;
  std::memcpy(&wrapper, fatbin, sizeof wrapper);
  Fatbin* const image = add_image(wrapper);
  if (image == nullptr)
    say("out of memory while registering a program's device code: its kernels will be unknown");
  return reinterpret_cast<void**>(image);
}

PEGASUS_API void __cudaRegisterFatBinaryEnd(void**) {}

PEGASUS_API void __cudaUnregisterFatBinary(void** handle) {
  if (handle != nullptr) remove_image(image_of(handle));
}

PEGASUS_API void __cudaRegisterFunction(void** handle, char const* host, char*, char const* name, int, uint3*,
                                        uint3*, dim3*, dim3*, int*) {
  add(handle, Symbol::Kind::kernel, host, name, 0);
}

PEGASUS_API void __cudaRegisterVar(void** handle, char* host, char*, char const* name, int, std::size_t bytes,
                                   int, int) {
  add(handle, Symbol::Kind::variable, host, name, bytes);
}

// The host accesses a managed variable through *host, after __cudaInitModule. Where there is no managed memory it gets
// memory of its own: a program that contains such a variable but does not use it runs (registry.cpp, load).
PEGASUS_API void __cudaRegisterManagedVar(void** handle, void** host, char*, char const* name, int,
                                          std::size_t bytes, int, int) {
  if (host == nullptr) return;
  *host = std::calloc(1, bytes == 0 ? 1 : bytes);
  if (handle == nullptr || name == nullptr) return;
  if (!add_managed_variable(image_of(handle), host, name, bytes)) say_out_of_memory(name);
}

// A failure shows in the calls that use the image.
PEGASUS_API char __cudaInitModule(void** handle) {
  Driver const* driver = nullptr;
  CUcontext context = nullptr;
  if (handle != nullptr && enter(driver, context) == cudaSuccess)
    (void)load_image(*driver, context, *image_of(handle));
  return 1;
}
