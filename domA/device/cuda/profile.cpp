// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/profile.h"

#include "domA/device/attributes.h"
#include "domA/device/cuda/driver_mappings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace pegasus::cuda {
namespace {

// Features that the call path does not carry, whatever the hardware supports: programs must not rely on them.
constexpr std::pair<CUdevice_attribute, std::int32_t> not_carried[] = {
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 0},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 0},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0},
};

constexpr int most_gpus = 1024; // of one host, whatever its driver says

using namespace device::attribute;
static_assert(clock_khz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(multiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(pci_bus == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
static_assert(pci_device == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
static_assert(threads_per_multiprocessor == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(pci_domain == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
static_assert(compute_capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(compute_capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

} // namespace

tl::expected<int, std::string> device_count(Driver const& driver) {
  int count = 0;
  if (CUresult const result = driver.cuDeviceGetCount(&count); result != CUDA_SUCCESS)
    return tl::unexpected("the CUDA driver does not say how many GPUs there are: " + driver.name_of(result));
  return count;
}

tl::expected<device::Profile, std::string> profile_of(Driver const& driver, int ordinal) {
  CUdevice device = 0;
  std::array<char, 256> name{}; // its last byte ends what a driver does not end
  CUuuid uuid{};
  std::size_t memory = 0;
  int version = 0;
  for (CUresult const result :
       {driver.cuDeviceGet(&device, ordinal), driver.cuDeviceGetName(name.data(), name.size() - 1, device),
        driver.cuDeviceGetUuid(&uuid, device), driver.cuDeviceTotalMem(&memory, device),
        driver.cuDriverGetVersion(&version)})
    if (result != CUDA_SUCCESS)
      return tl::unexpected(fmt::format("GPU {} does not answer: {}", ordinal, driver.name_of(result)));
  device::Profile profile;
  profile.name = name.data();
  std::memcpy(profile.uuid.data(), uuid.bytes, profile.uuid.size());
  profile.memory_bytes = memory;
  profile.driver_version = static_cast<std::uint32_t>(version);
  for (std::size_t i = 1; i < profile.attribute.size(); ++i) // 0 if this driver does not know it
    if (driver.cuDeviceGetAttribute(&profile.attribute[i], static_cast<CUdevice_attribute>(i), device) !=
        CUDA_SUCCESS)
      profile.attribute[i] = 0;
  for (auto const& [attribute, value] : not_carried)
    profile.attribute[static_cast<std::size_t>(attribute)] = value;
  profile.attribute[CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED] = maps_memory(driver, device);
  return profile;
}

tl::expected<int, std::string> ordinal_of(Driver const& driver, std::span<std::uint8_t const, 16> uuid) {
  auto const count = device_count(driver);
  if (!count) return count;
  for (int ordinal = 0; ordinal < std::min(*count, most_gpus); ++ordinal) {
    CUdevice device = 0;
    CUuuid its{};
    if (driver.cuDeviceGet(&device, ordinal) == CUDA_SUCCESS &&
        driver.cuDeviceGetUuid(&its, device) == CUDA_SUCCESS &&
        std::memcmp(its.bytes, uuid.data(), uuid.size()) == 0)
      return ordinal;
  }
  return tl::unexpected(std::string("the GPU that was there when pegasusd started is gone"));
}

} // namespace pegasus::cuda
