// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/testing/fake_bytes.h"
#include "frontend/cuda/testing/fake_channel.h"

#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace pegasus::driver::testing {
using frontend::Bytes;
using frontend::WritableBytes;

void FakeChannel::share_memory() {
  constexpr std::uint64_t bytes = 1u << 20;
  auto* const at = reinterpret_cast<void*>(std::uintptr_t{PEGASUS_HOST_WINDOW});
  static void* const pages =
      mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages != at) throw std::runtime_error("the host window's addresses are taken");
  host_window = bytes;
  set_attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1);
  set_attribute(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1);
}

std::byte* FakeChannel::at(std::uint64_t address, std::uint64_t bytes) {
  for (auto const& [base, size] : host_memory_)
    if (address >= base && address - base <= size && bytes <= size - (address - base))
      return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
  for (auto& [base, contents] : memory)
    if (address >= base && address - base <= contents.size() && bytes <= contents.size() - (address - base))
      return contents.data() + (address - base);
  throw std::logic_error("the library let a bad device address through");
}

int FakeChannel::write_device(std::uint64_t, frontend::DeviceRows target, std::byte const* source,
                              std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; ++row)
    std::memcpy(at(target.address + row * target.pitch, row_bytes), source + row * source_pitch, row_bytes);
  return 0;
}

int FakeChannel::read_device(std::uint64_t, std::byte* target, std::uint64_t target_pitch,
                             frontend::DeviceRows source, std::uint64_t row_bytes, std::uint64_t rows) {
  if (next_status != 0) return std::exchange(next_status, 0);
  for (std::uint64_t row = 0; row < rows; ++row)
    std::memcpy(target + row * target_pitch, at(source.address + row * source.pitch, row_bytes), row_bytes);
  return 0;
}

int FakeChannel::allocate(Bytes request, WritableBytes reply) {
  auto const [bytes, place, reserved] = decode<pegasus_memory_allocate_request>(request);
  if (bytes > profile_.memory_bytes || memory.size() >= most_allocations) return CUDA_ERROR_OUT_OF_MEMORY;
  if (next_allocation != 0) {
    encode(reply, pegasus_memory_allocate_reply{std::exchange(next_allocation, 0)});
    return 0;
  }
  if (place != PEGASUS_MEMORY_DEVICE) {
    if (next_host_address_ + bytes > PEGASUS_HOST_WINDOW + host_window) return CUDA_ERROR_OUT_OF_MEMORY;
    host_memory_[next_host_address_] = bytes;
    encode(reply, pegasus_memory_allocate_reply{next_host_address_});
    next_host_address_ += (bytes + 8191) / 4096 * 4096;
    return 0;
  }
  memory[next_address_].resize(bytes);
  encode(reply, pegasus_memory_allocate_reply{next_address_});
  next_address_ += (bytes + 511) / 256 * 256;
  return 0;
}

int FakeChannel::reserve_addresses(Bytes request, WritableBytes reply) {
  if (next_allocation != 0) {
    encode(reply, pegasus_addresses_reserve_reply{std::exchange(next_allocation, 0)});
    return 0;
  }
  std::uint64_t const address =
      (next_address_ + PEGASUS_MAPPING_GRANULE - 1) & ~(PEGASUS_MAPPING_GRANULE - 1ull);
  encode(reply, pegasus_addresses_reserve_reply{address});
  next_address_ = address + decode<pegasus_addresses_reserve_request>(request).bytes;
  return std::exchange(next_status, 0);
}

int FakeChannel::call_memory(std::uint16_t call, Bytes request, WritableBytes reply) {
  switch (call) {
  case PEGASUS_CALL_MEMORY_ALLOCATE:
    return allocate(request, reply);
  case PEGASUS_CALL_MEMORY_FREE: {
    std::uint64_t const address = decode<pegasus_memory_free_request>(request).address;
    return memory.erase(address) + host_memory_.erase(address) == 1 ? 0 : CUDA_ERROR_INVALID_VALUE;
  }
  case PEGASUS_CALL_MEMORY_RANGE:
    return CUDA_ERROR_NOT_FOUND;
  case PEGASUS_CALL_ADDRESSES_RESERVE:
    return reserve_addresses(request, reply);
  case PEGASUS_CALL_PHYSICAL_CREATE:
    encode(reply, pegasus_physical_create_reply{next_handle_});
    physical[next_handle_++].resize(decode<pegasus_physical_create_request>(request).bytes);
    return 0;
  case PEGASUS_CALL_MEMORY_SET_ACCESS: {
    auto const range = decode<pegasus_memory_set_access_request>(request);
    if (next_status == 0) memory[range.address].resize(range.access == 0 ? 0 : range.bytes);
    return std::exchange(next_status, 0);
  }
  case PEGASUS_CALL_PHYSICAL_RELEASE:
    return physical.erase(decode<pegasus_physical_release_request>(request).memory) == 1
               ? 0
               : CUDA_ERROR_INVALID_HANDLE;
  default:
    return call_texture(call, request, reply);
  }
}

} // namespace pegasus::driver::testing
