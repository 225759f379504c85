// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/copy.h"

#include "frontend/cudart/testing/fake_cuda.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <string>

using namespace pegasus::cudart;

extern "C" cudaError_t cudaMemcpy_ptds(void*, void const*, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaMemcpyAsync_ptsz(void*, void const*, std::size_t, cudaMemcpyKind, cudaStream_t);

namespace {

struct Memory {
  Memory() { REQUIRE(cudaMalloc(&pointer, 256) == cudaSuccess); }
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;
  ~Memory() { cudaFree(pointer); }
  void* pointer = nullptr;
};

} // namespace

TEST_CASE("each kind of copy uses its driver function") {
  FakeCuda& fake = fake_cuda();
  Memory device;
  Memory other;
  char host[16] = "sixteen bytes!!";
  char back[16] = {};
  fake.host_to_device = fake.device_to_host = fake.device_copies = 0;
  CHECK(cudaMemcpy(device.pointer, host, 16, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(other.pointer, device.pointer, 16, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(back, other.pointer, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::memcmp(back, host, 16) == 0);
  CHECK(fake.host_to_device == 1);
  CHECK(fake.device_copies == 1);
  CHECK(fake.device_to_host == 1);
  char third[16] = {};
  CHECK(cudaMemcpy(third, host, 16, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(std::memcmp(third, host, 16) == 0);
}

TEST_CASE("a copy with a wrong direction, pointer or pitch returns its error") {
  Memory device;
  char host[16] = {};
  CHECK(cudaMemcpy(device.pointer, host, 16, static_cast<cudaMemcpyKind>(5)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(device.pointer, host, 0, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, host, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(device.pointer, 4, host, 8, 8, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2D(device.pointer, 8, host, 8, 8, 2, static_cast<cudaMemcpyKind>(6)) ==
        cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("streams: the default one, the thread's, and waiting") {
  FakeCuda& fake = fake_cuda();
  Memory device;
  char host[16] = {};
  fake.synchronizations = 0;
  CHECK(cudaMemcpy(device.pointer, host, 16, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(fake.synchronizations == 0); // uses the driver's synchronous copy
  CHECK(cudaMemcpyAsync(device.pointer, host, 16, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  CHECK(fake.stream == nullptr);
  CHECK(fake.synchronizations == 0);
  CHECK(cudaMemcpyAsync_ptsz(device.pointer, host, 16, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  CHECK(fake.stream == cudaStreamPerThread);
  CHECK(fake.synchronizations == 0);
  CHECK(cudaMemcpy_ptds(host, device.pointer, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(fake.stream == cudaStreamPerThread);
  CHECK(fake.synchronizations == 1);
}

TEST_CASE("copies of rows and boxes") {
  char const source[] = "abcd....efgh....ijkl....mnop....";
  char target[16] = {};
  CHECK(cudaMemcpy2D(target, 4, source, 8, 4, 4, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(std::string(target, 16) == "abcdefghijklmnop");

  Memory device;
  CHECK(cudaMemcpy2D(device.pointer, 4, source, 8, 4, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(std::string(static_cast<char*>(device.pointer), 16) == "abcdefghijklmnop");
  CHECK(cudaMemcpy2D(nullptr, 4, source, 8, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(nullptr, 4, source, 8, 4, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);

  // Two slices of two rows; the last two of each row's four bytes.
  char box[8] = {};
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = {const_cast<char*>(source), 8, 4, 2};
  parameters.srcPos = {2, 0, 0};
  parameters.dstPtr = {box, 2, 2, 2};
  parameters.extent = {2, 2, 2};
  parameters.kind = cudaMemcpyHostToHost;
  CHECK(cudaMemcpy3D(&parameters) == cudaSuccess);
  CHECK(std::string(box, 8) == "cdghklop");
  parameters.extent.height = 3;
  CHECK(cudaMemcpy3D(&parameters) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy3D(nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("fills: the low byte, rows, slices with a gap") {
  Memory device;
  auto* const bytes = static_cast<unsigned char*>(device.pointer);
  CHECK(cudaMemset(device.pointer, 0x1FF, 256) == cudaSuccess);
  CHECK(bytes[255] == 0xFF);
  CHECK(cudaMemset2D(device.pointer, 8, 1, 4, 2) == cudaSuccess);
  CHECK(bytes[3] == 1);
  CHECK(bytes[4] == 0xFF);
  CHECK(bytes[8] == 1);
  CHECK(bytes[16] == 0xFF);
  CHECK(cudaMemset2D(device.pointer, 4, 1, 8, 2) == cudaErrorInvalidValue);
  // Slices of 4 rows; 2 of them are filled.
  CHECK(cudaMemset3D({device.pointer, 8, 8, 4}, 2, {8, 2, 2}) == cudaSuccess);
  CHECK(bytes[15] == 2);
  CHECK(bytes[16] == 0xFF);
  CHECK(bytes[32] == 2);
  CHECK(bytes[47] == 2);
  CHECK(bytes[48] == 0xFF);
}

TEST_CASE("allocation: nothing, too much, and what a null pointer is") {
  void* memory = &memory;
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  CHECK(cudaMalloc(&memory, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(nullptr) == cudaSuccess);
  CHECK(cudaMallocManaged(&memory, 16, cudaMemAttachSingle) == cudaErrorInvalidValue);
  CHECK(cudaMallocManaged(&memory, 0) == cudaErrorInvalidValue);
  CHECK(cudaMallocManaged(&memory, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  CHECK(cudaMallocManaged(&memory, 16) == cudaSuccess);
  REQUIRE(memory != nullptr);
  CHECK(cudaFree(memory) == cudaSuccess);
}
