// SPDX-License-Identifier: Apache-2.0
// Addresses and memory apart: reservations, physical memory, what is mapped where.
#include "tests/fuzz/lying_driver.h"

#include <algorithm>

namespace pegasus::fuzz {
namespace {

constexpr std::uint64_t granule = device::mapping_granule;
constexpr CUdeviceptr first_reserved = 0x7100'0000'0000;
constexpr std::uint64_t physical_bytes = 64 << 20;

bool in_granules(CUdeviceptr address, std::uint64_t bytes) {
  return address % granule == 0 && bytes % granule == 0 && bytes != 0;
}

CUresult reserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr,
                 unsigned long long flags) {
  require(flags == 0 && in_granules(alignment, bytes));
  CUresult const result = lying().says();
  if (result != CUDA_SUCCESS && !lying().odd) return result;
  LyingDriver& driver = lying();
  CUdeviceptr base = driver.reserved_end == 0 ? first_reserved : driver.reserved_end;
  base = (base + alignment - 1) / alignment * alignment;
  *address = driver.odd ? driver.odd_address() : base;
  if (result != CUDA_SUCCESS) return result;
  driver.reservations.emplace_back(*address, bytes);
  if (!driver.odd && base < first_reserved * 2) driver.reserved_end = base + bytes;
  return result;
}

CUresult free_reserved(CUdeviceptr address, std::size_t bytes) {
  auto const found = std::ranges::find(lying().reservations, std::pair{address, std::uint64_t{bytes}});
  require(found != lying().reservations.end());
  CUresult const result = lying().says();
  if (result == CUDA_SUCCESS) lying().reservations.erase(found);
  return result;
}

CUresult create(CUmemGenericAllocationHandle* handle, std::size_t bytes, CUmemAllocationProp const*,
                unsigned long long flags) {
  require(flags == 0 && in_granules(0, bytes));
  CUresult const result = lying().says();
  if (result != CUDA_SUCCESS) {
    if (lying().odd) *handle = 0xbad0;
    return result;
  }
  if (bytes > physical_bytes - std::min(physical_bytes, lying().allocated_bytes()))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = ++lying().last_physical;
  lying().physical[*handle] = {.bytes = bytes};
  return result;
}

CUresult release_physical(CUmemGenericAllocationHandle handle) {
  require(lying().physical.contains(handle));
  CUresult const result = lying().says();
  if (result == CUDA_SUCCESS) lying().physical.erase(handle);
  return result;
}

CUresult map(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
             unsigned long long flags) {
  auto const found = lying().physical.find(handle);
  require(found != lying().physical.end() && flags == 0 && offset == 0 && in_granules(address, bytes));
  require(bytes <= found->second.bytes && found->second.mapped_bytes == 0);
  require(std::ranges::any_of(lying().reservations, [&](auto const& r) {
    return address >= r.first && address - r.first <= r.second && bytes <= r.second - (address - r.first);
  }));
  CUresult const result = lying().says();
  if (result != CUDA_SUCCESS) return result;
  found->second.mapped_at = address;
  found->second.mapped_bytes = bytes;
  found->second.accessible = false;
  return result;
}

LyingDriver::Physical& mapped_at(CUdeviceptr address, std::uint64_t bytes) {
  auto const found = std::ranges::find_if(lying().physical, [&](auto const& entry) {
    return entry.second.mapped_at == address && entry.second.mapped_bytes == bytes;
  });
  require(found != lying().physical.end());
  return found->second;
}

CUresult unmap(CUdeviceptr address, std::size_t bytes) {
  LyingDriver::Physical& memory = mapped_at(address, bytes);
  require(memory.scrubbed <= lying().done); // the zeroes must not arrive at the next owner's
  CUresult const result = lying().says();
  if (result == CUDA_SUCCESS) memory.mapped_bytes = 0, memory.accessible = false;
  return result;
}

CUresult set_access(CUdeviceptr address, std::size_t bytes, CUmemAccessDesc const* access,
                    std::size_t count) {
  LyingDriver::Physical& memory = mapped_at(address, bytes);
  require(count == 1 && (access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                         access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  CUresult const result = lying().says();
  if (result == CUDA_SUCCESS) memory.accessible = access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return result;
}

} // namespace

bool LyingDriver::is_mapped(CUdeviceptr address, std::uint64_t bytes, CUstream stream, bool zeroes) {
  while (bytes != 0) {
    auto const found = std::ranges::find_if(physical, [&](auto const& entry) {
      return entry.second.accessible && address - entry.second.mapped_at < entry.second.mapped_bytes;
    });
    if (found == physical.end()) return false;
    Physical& memory = found->second;
    std::uint64_t const offset = address - memory.mapped_at;
    std::uint64_t const part = std::min(bytes, memory.mapped_bytes - offset);
    if (offset + part > memory.zeroed) { // the only thing to be done with it
      require(zeroes && offset == memory.zeroed && part == memory.mapped_bytes - offset);
      memory.zeroed = offset + part;
      memory.scrubbed = scrubs[stream] = ++fills;
    }
    require(memory.scrubbed <= std::max(done, scrubs[stream]));
    address += part;
    bytes -= part;
  }
  return true;
}

void LyingDriver::add_mappings(cuda::Driver& table) {
  table.cuMemAddressReserve = reserve;
  table.cuMemAddressFree = free_reserved;
  table.cuMemCreate = create;
  table.cuMemRelease = release_physical;
  table.cuMemMap = map;
  table.cuMemUnmap = unmap;
  table.cuMemSetAccess = set_access;
  table.cuMemGetAllocationGranularity = [](std::size_t* bytes, CUmemAllocationProp const*,
                                           CUmemAllocationGranularity_flags) {
    CUresult const result = lying().says();
    *bytes = lying().odd ? lying().number() : granule;
    return result;
  };
}

} // namespace pegasus::fuzz
