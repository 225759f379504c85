// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/driver.h"

#include "frontend/cudart/error.h"
#include "frontend/cudart/lock.h"

#include <atomic>
#include <dlfcn.h>

namespace pegasus::cudart {
namespace {

Mutex loading;
Driver table;
std::atomic<Driver const*> loaded{nullptr};
std::atomic<bool> absent{false};

// Replaces functions that an older libcuda.so.1 does not have; arguments are ignored, as the ABI allows.
CUresult not_in_this_driver() { return CUDA_ERROR_NOT_SUPPORTED; }

template <class Function> void resolve(void* library, char const* name, Function& function) {
  void* const symbol = dlsym(library, name);
  function =
      reinterpret_cast<Function>(symbol != nullptr ? symbol : reinterpret_cast<void*>(&not_in_this_driver));
}

// Found through LD_PRELOAD (by its SONAME), LD_LIBRARY_PATH, or beside this library (RUNPATH $ORIGIN).
Driver const* load() {
  Lock const lock(loading);
  if (Driver const* const ready = loaded.load(std::memory_order_acquire)) return ready;
  if (absent.load(std::memory_order_relaxed)) return nullptr;

  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say("libcuda.so.1 was not found, so CUDA calls return cudaErrorInsufficientDriver: start the program "
        "with "
        "`pegasus run`, or put the directory of Pegasus's libcuda.so.1 into LD_LIBRARY_PATH");
    absent.store(true, std::memory_order_relaxed);
    return nullptr;
  }
#define PEGASUS_DRIVER_RESOLVE(name) resolve(library, #name, table.name);
  PEGASUS_DRIVER_CALLS(PEGASUS_DRIVER_RESOLVE)
#undef PEGASUS_DRIVER_RESOLVE
  loaded.store(&table, std::memory_order_release);
  return &table;
}

} // namespace

Driver const* driver() {
  if (Driver const* const ready = loaded.load(std::memory_order_acquire)) return ready;
  return absent.load(std::memory_order_relaxed) ? nullptr : load();
}

} // namespace pegasus::cudart
