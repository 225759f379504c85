// SPDX-License-Identifier: Apache-2.0
// Device memory, copies and fills, host memory that the device reads.
#include "tests/fuzz/lying_driver.h"

#include <algorithm>
#include <cstring>

namespace pegasus::fuzz {
namespace {

constexpr std::uint64_t device_bytes = 64 << 20;
constexpr CUdeviceptr first_address = 0x7000'0000'0000;
constexpr std::uint64_t alignment = 512;

bool contains(LyingDriver::Given const& given, CUdeviceptr address, std::uint64_t bytes) {
  return address >= given.base && address - given.base <= given.bytes &&
         bytes <= given.bytes - (address - given.base);
}

CUdeviceptr free_address(std::uint64_t bytes) {
  CUdeviceptr address = first_address;
  while (lying().overlaps(address, bytes))
    address += 64 * alignment;
  return address;
}

std::byte read_host(void const* from, std::size_t bytes) { // the sanitizer sees each access
  std::byte sum{};
  for (std::size_t i = 0; i < bytes; ++i)
    sum ^= static_cast<std::byte const volatile*>(from)[i];
  return sum;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  CUresult const result = lying().says_in_context();
  if (result != CUDA_SUCCESS) {
    if (lying().odd) *address = lying().odd_address();
    return result;
  }
  if (bytes > device_bytes - std::min(device_bytes, lying().allocated_bytes()))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = lying().odd ? lying().odd_address() : free_address(bytes);
  bool const usable = *address != 0 && *address + bytes > *address && !lying().overlaps(*address, bytes);
  if (usable) lying().given.push_back({.base = *address, .bytes = bytes, .allocated = true});
  return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr address) {
  auto const found = std::ranges::find_if(
      lying().given, [&](LyingDriver::Given const& g) { return g.allocated && g.base == address; });
  require(found != lying().given.end());
  CUresult const result = lying().says_in_context();
  if (result == CUDA_SUCCESS) lying().given.erase(found);
  return result;
}

CUresult copy_rows(CUDA_MEMCPY2D const* copy, CUstream stream) {
  if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (copy->srcMemoryType == CU_MEMORYTYPE_DEVICE)
    lying().check_rows(copy->srcDevice, copy->srcPitch, copy->WidthInBytes, copy->Height, stream);
  if (copy->dstMemoryType == CU_MEMORYTYPE_DEVICE)
    lying().check_rows(copy->dstDevice, copy->dstPitch, copy->WidthInBytes, copy->Height, stream);
  CUresult const result = lying().says_in_context();
  for (std::size_t row = 0; row < copy->Height; ++row) {
    if (copy->srcMemoryType == CU_MEMORYTYPE_HOST)
      (void)read_host(static_cast<std::byte const*>(copy->srcHost) + row * copy->srcPitch,
                      copy->WidthInBytes);
    if (copy->dstMemoryType == CU_MEMORYTYPE_HOST)
      std::memset(static_cast<std::byte*>(copy->dstHost) + row * copy->dstPitch, 0x11, copy->WidthInBytes);
  }
  return result;
}

CUresult fill(CUdeviceptr address, std::uint64_t bytes, std::uint32_t value, CUstream stream) {
  if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  CUresult const result = lying().says_in_context();
  if (result == CUDA_SUCCESS) lying().check_range(address, bytes, stream, value == 0);
  return result;
}

CUresult fill_rows(CUdeviceptr address, std::size_t pitch, std::size_t row_bytes, std::size_t rows,
                   CUstream stream) {
  if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  lying().check_rows(address, pitch, row_bytes, rows, stream);
  return lying().says_in_context();
}

void add_fills(cuda::Driver& table) {
  table.cuMemsetD8Async = [](CUdeviceptr address, unsigned char value, std::size_t count, CUstream stream) {
    return fill(address, count, value, stream);
  };
  table.cuMemsetD16Async = [](CUdeviceptr address, unsigned short value, std::size_t count, CUstream stream) {
    return fill(address, 2 * count, value, stream);
  };
  table.cuMemsetD32Async = [](CUdeviceptr address, unsigned value, std::size_t count, CUstream stream) {
    return fill(address, 4 * count, value, stream);
  };
  table.cuMemsetD2D8Async = [](CUdeviceptr address, std::size_t pitch, unsigned char, std::size_t width,
                               std::size_t rows,
                               CUstream stream) { return fill_rows(address, pitch, width, rows, stream); };
  table.cuMemsetD2D16Async = [](CUdeviceptr address, std::size_t pitch, unsigned short, std::size_t width,
                                std::size_t rows, CUstream stream) {
    return fill_rows(address, pitch, 2 * width, rows, stream);
  };
  table.cuMemsetD2D32Async = [](CUdeviceptr address, std::size_t pitch, unsigned, std::size_t width,
                                std::size_t rows, CUstream stream) {
    return fill_rows(address, pitch, 4 * width, rows, stream);
  };
}

void add_copies(cuda::Driver& table) {
  table.cuMemcpy2DAsync = copy_rows;
  table.cuMemcpyHtoDAsync = [](CUdeviceptr target, void const* source, std::size_t bytes, CUstream stream) {
    if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    lying().check_range(target, bytes, stream);
    (void)read_host(source, bytes);
    return lying().says_in_context();
  };
  table.cuMemcpyDtoHAsync = [](void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
    if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    lying().check_range(source, bytes, stream);
    std::memset(target, 0x22, bytes);
    return lying().says_in_context();
  };
  table.cuMemcpyDtoDAsync = [](CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
    if (!lying().is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    lying().check_range(target, bytes, stream);
    lying().check_range(source, bytes, stream);
    return lying().says_in_context();
  };
}

void add_host_memory(cuda::Driver& table) {
  table.cuMemHostRegister = [](void* memory, std::size_t, unsigned) {
    CUresult const result = lying().says_in_context();
    if (result == CUDA_SUCCESS) require(lying().pinned.insert(memory).second);
    return result;
  };
  table.cuMemHostUnregister = [](void* memory) {
    require(lying().pinned.erase(memory) == 1);
    return lying().says_in_context();
  };
  table.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
    CUresult const result = lying().says_in_context();
    require(bytes == sizeof(std::uint32_t));
    if (lying().odd) *memory = nullptr;
    if (result != CUDA_SUCCESS || lying().odd) return result;
    *memory = new std::uint32_t();
    lying().words[*memory] = static_cast<std::uint32_t*>(*memory);
    return result;
  };
  table.cuMemHostGetDevicePointer = [](CUdeviceptr* address, void* memory, unsigned) {
    require(lying().words.contains(memory));
    CUresult const result = lying().says_in_context();
    *address = lying().odd ? lying().number() : reinterpret_cast<CUdeviceptr>(memory);
    return result;
  };
  table.cuMemFreeHost = [](void* memory) {
    auto const word = lying().words.find(memory);
    require(word != lying().words.end());
    lying().check_holds();
    std::erase_if(lying().holds, [&](LyingDriver::Hold const& hold) { return hold.word == word->second; });
    delete word->second;
    lying().words.erase(word);
    return lying().says_in_context();
  };
}

} // namespace

CUdeviceptr LyingDriver::odd_address() {
  std::uint64_t const choice = number();
  if (given.empty() || choice % 4 == 0) return choice % 8 == 0 ? 0 : ~0ull - 4095;
  Given const& victim = given[choice % given.size()];
  return victim.base + (choice % 3 == 0 ? 0 : victim.bytes / 2 - choice % 3);
}

std::uint64_t LyingDriver::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (auto const& [handle, memory] : physical)
    bytes += memory.bytes;
  for (Given const& piece : given)
    if (piece.allocated) bytes += piece.bytes;
  return bytes;
}

bool LyingDriver::overlaps(CUdeviceptr base, std::uint64_t bytes) const {
  return std::ranges::any_of(given, [&](Given const& piece) {
    return piece.allocated && base < piece.base + piece.bytes && piece.base < base + bytes;
  });
}

void LyingDriver::check_range(CUdeviceptr address, std::uint64_t bytes, CUstream stream, bool zeroes) {
  bool was_given = false;
  for (Given& piece : given) {
    if (!contains(piece, address, bytes)) continue;
    was_given = true;
    if (!piece.allocated) continue;
    if (piece.scrubbed == 0) { // the only thing to be done with it
      require(zeroes && address == piece.base && bytes == piece.bytes);
      piece.scrubbed = scrubs[stream] = ++fills;
    }
    require(piece.scrubbed <= std::max(done, scrubs[stream]));
  }
  require(was_given || is_mapped(address, bytes, stream, zeroes));
}

void LyingDriver::check_rows(CUdeviceptr address, std::uint64_t pitch, std::uint64_t row_bytes,
                             std::uint64_t rows, CUstream stream) {
  std::uint64_t span = 0;
  require(rows != 0 && (rows == 1 || pitch >= row_bytes) && !__builtin_mul_overflow(rows - 1, pitch, &span) &&
          !__builtin_add_overflow(span, row_bytes, &span));
  check_range(address, span, stream);
}

void LyingDriver::check_all_scrubbed(CUstream stream) const {
  auto const own = scrubs.find(stream);
  std::uint64_t const before = std::max(done, own == scrubs.end() ? 0 : own->second);
  for (Given const& piece : given)
    require(!piece.allocated || (piece.scrubbed != 0 && piece.scrubbed <= before));
  for (auto const& [handle, memory] : physical)
    require(!memory.accessible || (memory.zeroed >= memory.mapped_bytes && memory.scrubbed <= before));
}

void LyingDriver::add_memory(cuda::Driver& table) {
  table.cuMemAlloc = allocate;
  table.cuMemFree = release;
  table.cuMemGetInfo = [](std::size_t* left, std::size_t* total) {
    CUresult const result = lying().says_in_context();
    *left = lying().odd ? lying().number() : device_bytes - std::min(device_bytes, lying().allocated_bytes());
    *total = lying().odd ? lying().number() : device_bytes;
    return result;
  };
  add_copies(table);
  add_fills(table);
  add_host_memory(table);
}

} // namespace pegasus::fuzz
