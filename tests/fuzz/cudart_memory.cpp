// SPDX-License-Identifier: Apache-2.0
// Memory, copies, variables of the device code.
#include "tests/fuzz/cudart_program.h"

#include <iterator>

namespace pegasus::fuzz {
namespace {

constexpr std::size_t memory_sizes[] = {1,    4,     64,    512,
                                        4096, 16384, 20000, 140000}; // around a quarter of the arena

} // namespace

std::size_t CudartProgram::size() { return memory_sizes[take<std::uint8_t>() % std::size(memory_sizes)]; }

// A kind that names the host's memory as the device's, or the reverse, makes the library pass addresses to the worker,
// which it may; a copy from host to host must not be claimed for device memory, which the program cannot access.
cudaMemcpyKind CudartProgram::kind(cudaMemcpyKind usual) {
  auto const choice = take<std::uint8_t>();
  if (choice < 200) return usual;
  return choice < 240 ? cudaMemcpyDefault : static_cast<cudaMemcpyKind>(5 + choice % 3);
}

void CudartProgram::allocate() {
  auto const index = take<std::uint8_t>() % kept;
  (void)answered(cudaFree(memory_[index]));
  memory_[index] = nullptr;
  bytes_[index] = size();
  Guarded<void*> made;
  Guarded<std::size_t> pitch;
  cudaError_t error = cudaSuccess;
  switch (take<std::uint8_t>() % 5) {
  case 0:
    error = answered(cudaMallocPitch(&made, &pitch, bytes_[index], 2));
    break;
  case 1:
    error = answered(cudaMallocAsync(&made, bytes_[index], any(streams_)));
    break;
  case 2: { // host memory
    Guarded<unsigned> flags;
    if (answered(cudaHostAlloc(&made, bytes_[index], take<std::uint8_t>() % 8)) != cudaSuccess) return;
    std::fill_n(static_cast<std::byte*>(made.get()), bytes_[index], std::byte{1});
    (void)answered(cudaHostGetFlags(&flags, made.get()));
    (void)answered(cudaFreeHost(made.get()));
    return;
  }
  default:
    error = answered(cudaMalloc(&made, take<std::uint8_t>() < 250 ? bytes_[index] : ~std::size_t{0}));
  }
  if (error == cudaSuccess) memory_[index] = made.get();
}

// Host memory is as large as the copy says: the sanitizer reports an access beyond it.
void CudartProgram::copy() {
  auto const index = take<std::uint8_t>() % kept;
  void* const device = memory_[index];
  std::vector<std::byte> host(std::max<std::size_t>(bytes_[index], 1)), other(host.size());
  switch (take<std::uint8_t>() % 6) {
  case 0:
    (void)answered(cudaMemcpy(device, host.data(), host.size(), kind(cudaMemcpyHostToDevice)));
    return;
  case 1:
    (void)answered(cudaMemcpy(host.data(), device, host.size(), kind(cudaMemcpyDeviceToHost)));
    return;
  case 2:
    (void)answered(
        cudaMemcpyAsync(host.data(), device, host.size(), kind(cudaMemcpyDeviceToHost), any(streams_)));
    return;
  case 3:
    (void)answered(cudaMemcpy(device, any(memory_), host.size(), kind(cudaMemcpyDeviceToDevice)));
    return;
  case 4:
    (void)answered(cudaMemcpy(other.data(), host.data(), host.size(), cudaMemcpyHostToHost));
    return;
  default:
    (void)answered(
        cudaMemcpyAsync(device, host.data(), host.size(), kind(cudaMemcpyHostToDevice), any(streams_)));
  }
}

void CudartProgram::copy_rows() {
  std::size_t const width = size() % 512 + 1, height = 1 + take<std::uint8_t>() % 40;
  std::size_t const host_pitch = width + take<std::uint8_t>();
  std::size_t const device_pitch =
      take<std::uint8_t>() < 240 ? width + take<std::uint8_t>() : take<std::uint64_t>();
  std::vector<std::byte> host(host_pitch * (height - 1) + width);
  void* const device = any(memory_);
  switch (take<std::uint8_t>() % 3) {
  case 0:
    (void)answered(cudaMemcpy2D(host.data(), host_pitch, device, device_pitch, width, height,
                                kind(cudaMemcpyDeviceToHost)));
    return;
  case 1:
    (void)answered(cudaMemcpy2DAsync(device, device_pitch, host.data(), host_pitch, width, height,
                                     kind(cudaMemcpyHostToDevice), any(streams_)));
    return;
  default: {
    cudaMemcpy3DParms box{};
    box.srcPtr = {device, device_pitch, width, height};
    box.dstPtr = {host.data(), host_pitch, width, height};
    box.extent = {width, height, 1};
    box.kind = kind(cudaMemcpyDeviceToHost);
    (void)answered(cudaMemcpy3D(&box));
  }
  }
}

void CudartProgram::fill() {
  auto const index = take<std::uint8_t>() % kept;
  (void)answered(cudaMemset(memory_[index], 1, bytes_[index]));
  (void)answered(cudaMemsetAsync(memory_[index], 1, size(), any(streams_)));
  (void)answered(cudaMemset2D(memory_[index], take<std::uint16_t>(), 1, take<std::uint8_t>(), 2));
}

void CudartProgram::copy_symbols() {
  void const* const variable = symbol();
  Guarded<std::size_t> bytes;
  Guarded<void*> address;
  (void)answered(cudaGetSymbolAddress(&address, variable));
  (void)answered(cudaGetSymbolSize(&bytes, variable));
  std::vector<std::byte> host(size() % 4096);
  std::size_t const offset = take<std::uint8_t>() < 200 ? 0 : take<std::uint64_t>();
  (void)answered(
      cudaMemcpyToSymbol(variable, host.data(), host.size(), offset, kind(cudaMemcpyHostToDevice)));
  (void)answered(
      cudaMemcpyFromSymbol(host.data(), variable, host.size(), offset, kind(cudaMemcpyDeviceToHost)));
  (void)answered(cudaMemcpyFromSymbolAsync(host.data(), variable, host.size(), offset,
                                           kind(cudaMemcpyDeviceToHost), any(streams_)));
}

void CudartProgram::ask_about_memory() {
  Guarded<std::size_t> free_bytes, total_bytes;
  Guarded<cudaPointerAttributes> attributes;
  (void)answered(cudaMemGetInfo(&free_bytes, &total_bytes));
  (void)answered(cudaPointerGetAttributes(&attributes, any(memory_)));
  (void)answered(cudaPointerGetAttributes(&attributes, this));
}

} // namespace pegasus::fuzz
