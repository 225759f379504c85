// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/device_facts.h"

#include <algorithm>

namespace pegasus::cuda {

DeviceFacts facts_of(Driver const& driver, int ordinal) {
  CUdevice device = 0;
  driver.cuDeviceGet(&device, ordinal);
  auto const attribute = [&](CUdevice_attribute which) {
    int value = 0;
    driver.cuDeviceGetAttribute(&value, which, device);
    return static_cast<std::uint32_t>(std::max(value, 0));
  };
  DeviceFacts facts;
  facts.multiprocessors = std::max(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1u);
  facts.resident_threads =
      std::uint64_t{facts.multiprocessors} * attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  facts.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts.maps_host_memory = attribute(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY) != 0;
  return facts;
}

} // namespace pegasus::cuda
