// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: addresses, memory, and which of it is mapped where.
#include "frontend/cuda/mapping_table.h"
#include "frontend/cuda/pool.h"

namespace pegasus::driver {
namespace {

// For calls about what may be mapped.
template <class Body> CUresult with_mappings(Body body) {
  return with_device([&](Channel& channel) {
    if (attribute(channel, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) == 0)
      return CUDA_ERROR_NOT_SUPPORTED;
    return body(channel);
  });
}

bool in_mapping_granules(std::uint64_t value) { return value % PEGASUS_MAPPING_GRANULE == 0; }

CUresult check_location(CUmemLocation const& location) {
  switch (location.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return valid_device(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

// A descriptor to export may be asked for: programs do so that export nothing (PyTorch). The export is refused.
CUresult check_properties(CUmemAllocationProp const& properties) {
  if (properties.type == CU_MEM_ALLOCATION_TYPE_MANAGED) return CUDA_ERROR_NOT_SUPPORTED;
  if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED || properties.win32HandleMetaData != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if ((properties.requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0 ||
      properties.allocFlags.gpuDirectRDMACapable != 0 || properties.allocFlags.usage != 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  return check_location(properties.location);
}

// The flags for this device, which the last description has.
CUresult access_in(CUmemAccessDesc const* descriptions, std::size_t count, unsigned& access) {
  if (descriptions == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (CUresult const status = check_location(descriptions[i].location); status != CUDA_SUCCESS)
      return status;
    access = descriptions[i].flags;
    if (access == CU_MEM_ACCESS_FLAGS_PROT_READ) {
      static bool said = false;
      say_once(said, "memory that can only be read is not supported by this accelerator; use "
                     "CU_MEM_ACCESS_FLAGS_PROT_READWRITE");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (access != CU_MEM_ACCESS_FLAGS_PROT_NONE && access != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult map_memory(Channel& channel, MappingRecords& records, CUdeviceptr address, std::size_t bytes,
                    CUmemGenericAllocationHandle handle) {
  auto const found = records.memory.find(handle);
  auto const reservation = device_memory().find(address);
  if (found == records.memory.end() || found->second.references == 0 || bytes > found->second.bytes ||
      !reservation || reservation->origin != Allocation::Origin::reserved ||
      bytes > reservation->bytes - (address - reservation->base) || records.touches(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (found->second.mapped) {
    static bool said = false;
    say_once(said, "memory that is mapped cannot be mapped at a second address at the same time");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  auto const [status, reply] = ask(channel, pegasus_memory_map_request{handle, address, bytes});
  if (status != CUDA_SUCCESS) return status;
  found->second.mapped = true;
  records.mappings.emplace(address, Mapping{.bytes = bytes, .memory = handle, .id = next_id()});
  return CUDA_SUCCESS;
}

CUresult release_memory(Channel& channel, MappingRecords& records, CUmemGenericAllocationHandle handle) {
  records.memory.erase(handle);
  return ask(channel, pegasus_physical_release_request{handle}).status;
}

// A handle without references ends first: then the worker need not keep what the memory holds.
CUresult unmap_memory(Channel& channel, MappingRecords& records, CUdeviceptr address, std::size_t bytes) {
  if (!records.whole(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  auto const first = records.mappings.find(address);
  auto const last = records.mappings.lower_bound(address + bytes);
  for (auto at = first; at != last; ++at)
    if (auto const memory = records.memory.find(at->second.memory);
        memory != records.memory.end() && memory->second.references == 0)
      if (CUresult const status = release_memory(channel, records, memory->first); status != CUDA_SUCCESS)
        return status;
  CUresult const status = ask(channel, pegasus_memory_unmap_request{address, bytes}).status;
  if (status != CUDA_SUCCESS) return status;
  for (auto at = first; at != last; ++at)
    if (auto const memory = records.memory.find(at->second.memory); memory != records.memory.end())
      memory->second.mapped = false;
  records.mappings.erase(first, last);
  return CUDA_SUCCESS;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  return with_mappings([&](Channel& channel) {
    if (address == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    auto const [status, reply] = ask(channel, pegasus_addresses_reserve_request{bytes, alignment, hint});
    if (status != CUDA_SUCCESS) return status;
    // As for cuMemAlloc: the table decides what is a device address, and none is in the host window.
    if (!outside_host_window(channel, reply.address, bytes) ||
        !device_memory().insert(
            {.base = reply.address, .bytes = bytes, .origin = Allocation::Origin::reserved, .id = next_id()}))
      return CUDA_ERROR_UNKNOWN;
    *address = reply.address;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return with_mappings([&](Channel& channel) {
    return mapped_memory().with_records([&](MappingRecords& records) {
      auto const found = device_memory().find(address);
      if (!found || found->origin != Allocation::Origin::reserved || found->base != address ||
          found->bytes != bytes || records.touches(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
      CUresult const status = ask(channel, pegasus_addresses_free_request{address, bytes}).status;
      if (status == CUDA_SUCCESS) (void)device_memory().take(address, [](Allocation const&) { return true; });
      return status;
    });
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     CUmemAllocationProp const* properties, unsigned long long flags) {
  return with_mappings([&](Channel& channel) {
    if (handle == nullptr || properties == nullptr || flags != 0 || bytes == 0 || !in_mapping_granules(bytes))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_properties(*properties); status != CUDA_SUCCESS) return status;
    return mapped_memory().with_records([&](MappingRecords& records) {
      auto const [status, reply] = ask_for_memory(channel, pegasus_physical_create_request{bytes});
      if (status != CUDA_SUCCESS) return status;
      PhysicalMemory memory{.bytes = bytes, .properties = *properties};
      memory.properties.allocFlags = {}; // the memory is not compressed
      if (reply.memory == 0 || !records.memory.emplace(reply.memory, memory).second)
        return CUDA_ERROR_UNKNOWN;
      *handle = reply.memory;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_mappings([&](Channel& channel) {
    return mapped_memory().with_records([&](MappingRecords& records) {
      auto const found = records.memory.find(handle);
      if (found == records.memory.end() || found->second.references == 0) return CUDA_ERROR_INVALID_VALUE;
      if (--found->second.references != 0 || found->second.mapped) return CUDA_SUCCESS;
      return release_memory(channel, records, handle);
    });
  });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return with_mappings([&](Channel& channel) {
    if (flags != 0 || offset != 0 || bytes == 0 || !in_mapping_granules(bytes) ||
        !in_mapping_granules(address))
      return CUDA_ERROR_INVALID_VALUE;
    return mapped_memory().with_records(
        [&](MappingRecords& records) { return map_memory(channel, records, address, bytes, handle); });
  });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return with_mappings([&](Channel& channel) {
    return mapped_memory().with_records(
        [&](MappingRecords& records) { return unmap_memory(channel, records, address, bytes); });
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, CUmemAccessDesc const* descriptions,
                        std::size_t count) {
  return with_mappings([&](Channel& channel) {
    unsigned access = 0;
    if (CUresult const status = access_in(descriptions, count, access); status != CUDA_SUCCESS) return status;
    return mapped_memory().with_records([&](MappingRecords& records) {
      if (!records.whole(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
      CUresult const status =
          ask(channel, pegasus_memory_set_access_request{address, bytes, access, 0}).status;
      if (status != CUDA_SUCCESS) return status;
      auto const last = records.mappings.lower_bound(address + bytes);
      for (auto at = records.mappings.find(address); at != last; ++at)
        at->second.accessible = access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, CUmemLocation const* location, CUdeviceptr address) {
  return with_mappings([&](Channel&) {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = check_location(*location); status != CUDA_SUCCESS) return status;
    auto const mapping = mapped_memory().find(address);
    if (!mapping) return CUDA_ERROR_INVALID_VALUE;
    *flags = mapping->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationGranularity(std::size_t* granularity, CUmemAllocationProp const* properties,
                                       CUmemAllocationGranularity_flags option) {
  return with_mappings([&](Channel&) {
    if (granularity == nullptr || properties == nullptr ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
      return CUDA_ERROR_INVALID_VALUE;
    CUresult const status = check_properties(*properties);
    if (status == CUDA_SUCCESS) *granularity = PEGASUS_MAPPING_GRANULE;
    return status;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return with_mappings([&](Channel&) {
    return mapped_memory().with_records([&](MappingRecords& records) {
      auto const found = records.memory.find(handle);
      if (properties == nullptr || found == records.memory.end() || found->second.references == 0)
        return CUDA_ERROR_INVALID_VALUE;
      *properties = found->second.properties;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return with_mappings([&](Channel&) {
    return mapped_memory().with_records([&](MappingRecords& records) {
      auto const at = records.containing(reinterpret_cast<std::uintptr_t>(address));
      if (handle == nullptr || at == records.mappings.end()) return CUDA_ERROR_INVALID_VALUE;
      auto const memory = records.memory.find(at->second.memory);
      if (memory == records.memory.end()) return CUDA_ERROR_INVALID_VALUE;
      ++memory->second.references;
      *handle = memory->first;
      return CUDA_SUCCESS;
    });
  });
}
