// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/driver.h"

#include "domA/device/cuda/driver_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace pegasus::cuda {

tl::expected<Driver, std::string> Driver::load(std::string const& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return tl::unexpected(
        fmt::format("the CUDA driver cannot be loaded: {}; install the NVIDIA driver, or use the "
                    "software accelerator",
                    dlerror()));
  load_driver_libraries(handle);
  Driver driver;
#define PEGASUS_DRIVER_NAME(name) #name
#define PEGASUS_DRIVER_FIND(name)                                                                            \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(handle, PEGASUS_DRIVER_NAME(name)));
#define PEGASUS_DRIVER_LOAD(name)                                                                            \
  PEGASUS_DRIVER_FIND(name)                                                                                  \
  if (driver.name == nullptr)                                                                                \
    return tl::unexpected(fmt::format("{} has no {}: release 550 of the driver is needed, or a later one",   \
                                      library, PEGASUS_DRIVER_NAME(name)));
  PEGASUS_DRIVER_FUNCTIONS(PEGASUS_DRIVER_LOAD)
  PEGASUS_OPTIONAL_DRIVER_FUNCTIONS(PEGASUS_DRIVER_FIND)
#undef PEGASUS_DRIVER_LOAD
#undef PEGASUS_DRIVER_FIND
#undef PEGASUS_DRIVER_NAME
  if (CUresult const result = driver.cuInit(0); result != CUDA_SUCCESS)
    return tl::unexpected(fmt::format("{} cannot be used: cuInit says {}", library, driver.name_of(result)));
  return driver;
}

std::string Driver::name_of(CUresult result) const {
  char const* name = nullptr;
  if (cuGetErrorName == nullptr || cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    return fmt::format("error {}", static_cast<int>(result));
  return name;
}

} // namespace pegasus::cuda
