// SPDX-License-Identifier: Apache-2.0
// Sections of runtime_api_behaviour.cu: allocation, pointers, copies.
#pragma once

#include "tests/api/runtime_api_expect.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

void allocation() {
  void* memory = &memory;
  std::size_t free_before = 0;
  std::size_t free_after = 0;
  std::size_t total = 0;
  OK(cudaMalloc(&memory, 0));
  EXPECT(memory == nullptr);
  OK(cudaFree(nullptr));
  OK(cudaFreeHost(nullptr));
  RESULT(cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
  RESULT(cudaMalloc(&memory, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT(memory == nullptr);
  int on_stack = 0;
  RESULT(cudaFree(&on_stack), cudaErrorInvalidValue);
  cudaGetLastError();
  OK(cudaMemGetInfo(&free_before, &total));
  EXPECT(free_before <= total);
  OK(cudaMalloc(&memory, 4 << 20));
  EXPECT(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
  OK(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after < free_before);
  OK(cudaFree(memory));
  RESULT(cudaFree(memory), cudaErrorInvalidValue);
  cudaGetLastError();

  std::size_t pitch = 0;
  OK(cudaMallocPitch(&memory, &pitch, 100, 10));
  EXPECT(pitch >= 100 && pitch % 32 == 0);
  OK(cudaFree(memory));
  cudaPitchedPtr box{};
  OK(cudaMalloc3D(&box, make_cudaExtent(100, 5, 3)));
  EXPECT(box.pitch >= 100 && box.xsize == 100 && box.ysize == 5);
  OK(cudaFree(box.ptr));

  cudaStream_t stream = nullptr;
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocAsync(&memory, 1024, stream));
  OK(cudaMemsetAsync(memory, 0, 1024, stream));
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
}

void pointers() {
  void* device = nullptr;
  void* host = nullptr;
  unsigned flags = 99;
  int pageable = 0;
  cudaPointerAttributes attributes;
  OK(cudaMalloc(&device, 256));
  OK(cudaPointerGetAttributes(&attributes, static_cast<char*>(device) + 10));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  EXPECT(attributes.device == 0);
  EXPECT(attributes.devicePointer == static_cast<char*>(device) + 10);
  OK(cudaHostAlloc(&host, 256, cudaHostAllocPortable));
  std::memset(host, 1, 256);
  OK(cudaPointerGetAttributes(&attributes, host));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  EXPECT(attributes.hostPointer == host);
  OK(cudaHostGetFlags(&flags, host));
  EXPECT((flags & cudaHostAllocPortable) != 0);
  OK(cudaPointerGetAttributes(&attributes, &pageable));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  RESULT(cudaPointerGetAttributes(nullptr, host), cudaErrorInvalidValue);
  RESULT(cudaFreeHost(&pageable), cudaErrorInvalidValue);
  cudaGetLastError();
  OK(cudaFreeHost(host));
  OK(cudaMallocHost(&host, 64));
  OK(cudaFreeHost(host));
  std::vector<char> buffer(8192);
  OK(cudaHostRegister(buffer.data(), buffer.size(), cudaHostRegisterDefault));
  RESULT(cudaHostRegister(buffer.data(), buffer.size(), cudaHostRegisterDefault),
         cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaHostUnregister(buffer.data()));
  RESULT(cudaHostUnregister(buffer.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
  OK(cudaFree(device));
}

void copies() {
  std::vector<int> host(1000);
  std::vector<int> back(1000);
  for (int i = 0; i < 1000; ++i)
    host[static_cast<std::size_t>(i)] = i * i;
  std::size_t const bytes = host.size() * sizeof(int);
  int* one = nullptr;
  int* two = nullptr;
  OK(cudaMalloc(&one, bytes));
  OK(cudaMalloc(&two, bytes));
  OK(cudaMemcpy(one, host.data(), bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(two, one, bytes, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(back.data(), two, bytes, cudaMemcpyDeviceToHost));
  EXPECT(back == host);
  OK(cudaMemset(two, 0, bytes));
  OK(cudaMemcpy(two, host.data(), bytes, cudaMemcpyDefault));
  std::fill(back.begin(), back.end(), 0);
  OK(cudaMemcpy(back.data(), two, bytes, cudaMemcpyDefault));
  EXPECT(back == host);
  std::fill(back.begin(), back.end(), 0);
  OK(cudaMemcpy(back.data(), host.data(), bytes, cudaMemcpyHostToHost));
  EXPECT(back == host);
  OK(cudaMemcpyPeer(two, 0, one, 0, bytes));
  OK(cudaMemcpyAsync(back.data(), two, bytes, cudaMemcpyDeviceToHost, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(back == host);

  RESULT(cudaMemcpy(one, host.data(), 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  RESULT(cudaMemcpy(one, host.data(), bytes + 1024, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  RESULT(cudaMemcpy(host.data(), one, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  RESULT(cudaMemcpy(one, host.data(), 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  RESULT(cudaMemcpy(nullptr, host.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  RESULT(cudaMemset(host.data(), 0, 4), cudaErrorInvalidValue);
  RESULT(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaGetLastError());
  OK(cudaFree(one));
  OK(cudaFree(two));
}

void copies_of_rows() {
  constexpr std::size_t width = 60, height = 7;
  unsigned char host[height][64];
  unsigned char back[height][80];
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < 64; ++x)
      host[y][x] = static_cast<unsigned char>(y * 31 + x);
  std::memset(back, 0xAB, sizeof back);
  void* device = nullptr;
  std::size_t pitch = 0;
  OK(cudaMallocPitch(&device, &pitch, width, height));
  OK(cudaMemset2D(device, pitch, 0x5A, width, height));
  OK(cudaMemcpy2D(device, pitch, host, 64, width - 10, height, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, 80, device, pitch, width, height, cudaMemcpyDeviceToHost));
  bool same = true;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < 80; ++x) {
      unsigned char const wanted = x < width - 10 ? host[y][x] : x < width ? 0x5A : 0xAB;
      same = same && back[y][x] == wanted;
    }
  EXPECT(same);
  RESULT(cudaMemcpy2D(device, 10, host, 64, 20, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  OK(cudaMemcpy2D(device, pitch, host, 64, 0, 5, cudaMemcpyHostToDevice));
  OK(cudaFree(device));
  cudaGetLastError();

  cudaPitchedPtr box{};
  unsigned char cube[4 * 5 * 6];
  unsigned char cube_back[4 * 5 * 6] = {};
  for (std::size_t i = 0; i < sizeof cube; ++i)
    cube[i] = static_cast<unsigned char>(i);
  cudaExtent const extent = make_cudaExtent(4, 5, 6);
  OK(cudaMalloc3D(&box, extent));
  OK(cudaMemset3D(box, 0, extent));
  cudaMemcpy3DParms to{};
  to.srcPtr = make_cudaPitchedPtr(cube, 4, 4, 5);
  to.dstPtr = box;
  to.extent = extent;
  to.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&to));
  cudaMemcpy3DParms from{};
  from.srcPtr = box;
  from.dstPtr = make_cudaPitchedPtr(cube_back, 4, 4, 5);
  from.extent = extent;
  from.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&from));
  EXPECT(std::memcmp(cube, cube_back, sizeof cube) == 0);
  OK(cudaFree(box.ptr));
}

} // namespace
