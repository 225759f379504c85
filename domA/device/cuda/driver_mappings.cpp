// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/driver_mappings.h"

namespace pegasus::cuda {
namespace {

// Of the 47 bits of addresses that a process has, which the driver shares with the worker's own mappings.
constexpr std::uint64_t most_addresses = std::uint64_t{1} << 44;

CUmemAllocationProp properties_at(CUmemLocation const& location) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = location;
  return properties;
}

CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  return location;
}

} // namespace

bool maps_memory(Driver const& driver, CUdevice device) {
  if (driver.cuMemAddressReserve == nullptr || driver.cuMemAddressFree == nullptr ||
      driver.cuMemCreate == nullptr || driver.cuMemRelease == nullptr || driver.cuMemMap == nullptr ||
      driver.cuMemUnmap == nullptr || driver.cuMemSetAccess == nullptr ||
      driver.cuMemGetAllocationGranularity == nullptr)
    return false;
  int supported = 0;
  std::size_t granule = 0;
  CUmemAllocationProp const properties = properties_at(location_of(device));
  return driver.cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                     device) == CUDA_SUCCESS &&
         supported == 1 &&
         driver.cuMemGetAllocationGranularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
             CUDA_SUCCESS &&
         granule != 0 && device::mapping_granule % granule == 0;
}

DriverMappings::DriverMappings(Driver const& driver, int ordinal, Transfers& transfers, TaskState& state)
    : driver_(driver), transfers_(transfers), state_(state) {
  CUdevice device = 0;
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS || !maps_memory(driver, device)) return;
  location_ = location_of(device);
  most_reserved_ = most_addresses;
}

device::Status DriverMappings::reserve_addresses(std::uint64_t bytes, std::uint64_t aligned_to,
                                                 device::Address hint, device::Address& base) {
  CUdeviceptr made = 0;
  CUresult const result = driver_.cuMemAddressReserve(&made, bytes, aligned_to, hint, 0);
  base = made;
  return state_.answer(result);
}

device::Status DriverMappings::free_addresses(device::Range range) {
  return state_.answer(driver_.cuMemAddressFree(range.base, range.bytes));
}

device::Status DriverMappings::create(std::uint64_t bytes, MemoryId& memory) {
  CUmemGenericAllocationHandle made = 0;
  CUmemAllocationProp const properties = properties_at(location_);
  CUresult const result = driver_.cuMemCreate(&made, bytes, &properties, 0);
  memory = made;
  return state_.answer(result);
}

device::Status DriverMappings::destroy(MemoryId memory, std::uint64_t) {
  return state_.answer(driver_.cuMemRelease(memory));
}

device::Status DriverMappings::map(device::Range range, MemoryId memory) {
  return state_.answer(driver_.cuMemMap(range.base, range.bytes, 0, memory, 0));
}

device::Status DriverMappings::unmap(device::Range range, MemoryId, bool) {
  CUresult const result = finish_work();
  return state_.synchronized(result == CUDA_SUCCESS ? driver_.cuMemUnmap(range.base, range.bytes) : result);
}

device::Status DriverMappings::set_access(device::Range range, bool accessible) {
  if (!accessible)
    if (CUresult const result = finish_work(); result != CUDA_SUCCESS) return state_.synchronized(result);
  CUmemAccessDesc access{};
  access.location = location_;
  access.flags = accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return state_.answer(driver_.cuMemSetAccess(range.base, range.bytes, &access, 1));
}

CUresult DriverMappings::finish_work() {
  CUresult const result = transfers_.scrubber().finish();
  return result == CUDA_SUCCESS ? driver_.cuCtxSynchronize() : result;
}

device::Status DriverMappings::zero(device::Range range) {
  return state_.answer(transfers_.scrub(range.base, range.bytes));
}

void DriverMappings::lose_task() {
  if (state_.lost() == Status::success) state_.lose(Status::unknown);
}

} // namespace pegasus::cuda
