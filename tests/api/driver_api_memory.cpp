// SPDX-License-Identifier: Apache-2.0
// Like driver_api_behaviour.cpp, for memory, copies, streams, events and threads.
#include "tests/api/driver_api_kernels.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using namespace kernels;

void memory() {
  CUdeviceptr p = 0;
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
  GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, std::size_t{1} << 50));
  WORKS(cuMemFree(0));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(4242));
  WORKS(cuMemAlloc(&p, 64));
  std::uint32_t words[16] = {};
  WORKS(cuMemsetD32(p, 0x01020304, 16));
  WORKS(cuMemsetD16(p + 2, 0xabcd, 1));
  WORKS(cuMemsetD8(p + 5, 0xff, 1));
  WORKS(cuMemsetD2D8(p + 32, 16, 9, 1, 2));
  WORKS(cuMemcpyDtoH(words, p, 64));
  EXPECT(words[0] == 0xabcd0304 && words[1] == 0x0102ff04 && words[8] == 0x01020309 &&
         words[12] == 0x01020309);
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 0, 1));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(p + 1, 0, 1));

  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  WORKS(cuMemGetAddressRange(&base, &bytes, p + 33));
  EXPECT(base == p && bytes == 64);
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  WORKS(cuMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes <= total && total > 0);
  unsigned type = 0;
  WORKS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 3));
  EXPECT(type == CU_MEMORYTYPE_DEVICE);
  WORKS(cuMemFree(p));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));

  void* host = nullptr;
  WORKS(cuMemHostAlloc(&host, 4096, 0));
  std::memset(host, 0x5a, 4096);
  WORKS(cuMemAlloc(&p, 4096));
  WORKS(cuMemcpyHtoDAsync(p, host, 4096, nullptr));
  std::memset(host, 0, 4096);
  WORKS(cuMemcpyDtoHAsync(host, p, 4096, nullptr));
  WORKS(cuCtxSynchronize());
  // The copy to the device may have read the zeros, as CUDA permits for pinned memory: either is right, a
  // mix is not.
  auto const* const seen = static_cast<unsigned char*>(host);
  EXPECT((seen[0] == 0x5a || seen[0] == 0) && seen[0] == seen[4095]);
  WORKS(cuMemFree(p));
  WORKS(cuMemFreeHost(host));
}

void large_copies() {
  constexpr std::size_t bytes = 24u << 20; // more than a call buffer's arena
  std::vector<std::uint32_t> source(bytes / 4);
  std::vector<std::uint32_t> target(bytes / 4);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<std::uint32_t>(i * 2654435761u);
  CUdeviceptr p = 0;
  CUdeviceptr q = 0;
  WORKS(cuMemAlloc(&p, bytes));
  WORKS(cuMemAlloc(&q, bytes));
  WORKS(cuMemcpyHtoD(p, source.data(), bytes));
  WORKS(cuMemcpyDtoD(q, p, bytes));
  WORKS(cuMemcpyDtoH(target.data(), q, bytes));
  EXPECT(source == target);
  std::memset(target.data(), 0, bytes);
  auto const host = [](void* pointer) {
    return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer));
  };
  WORKS(cuMemcpy(host(target.data()), q, bytes)); // the kinds of memory follow from the addresses
  EXPECT(source == target);
  WORKS(cuMemFree(p));
  WORKS(cuMemFree(q));
}

void rectangles() {
  unsigned char source[40][50];
  unsigned char target[30][60] = {};
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 50; ++x)
      source[y][x] = static_cast<unsigned char>(y * 50 + x);
  CUdeviceptr p = 0;
  std::size_t pitch = 0;
  WORKS(cuMemAllocPitch(&p, &pitch, 50, 40, 4));
  EXPECT(pitch >= 50);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy.srcPitch = 50;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = p;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 50;
  copy.Height = 40;
  WORKS(cuMemcpy2D(&copy));
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = p;
  back.srcPitch = pitch;
  back.srcXInBytes = 7;
  back.srcY = 5;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = target;
  back.dstPitch = 60;
  back.dstXInBytes = 11;
  back.dstY = 3;
  back.WidthInBytes = 33;
  back.Height = 20;
  WORKS(cuMemcpy2DUnaligned(&back));
  bool right = true;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 60; ++x) {
      bool const inside = y >= 3 && y < 23 && x >= 11 && x < 44;
      right = right && target[y][x] == (inside ? source[y - 3 + 5][x - 11 + 7] : 0);
    }
  EXPECT(right);
  back.WidthInBytes = 55; // more than a row of the target holds
  GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&back));
  WORKS(cuMemFree(p));
}

void streams_and_events() {
  CUstream stream = nullptr;
  CUstream other = nullptr;
  CUevent start = nullptr;
  CUevent end = nullptr;
  WORKS(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  WORKS(cuStreamCreate(&other, CU_STREAM_DEFAULT));
  WORKS(cuEventCreate(&start, CU_EVENT_DEFAULT));
  WORKS(cuEventCreate(&end, CU_EVENT_DEFAULT));
  WORKS(cuEventQuery(start)); // never recorded
  float milliseconds = -1;
  GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, end));
  CUdeviceptr p = 0;
  WORKS(cuMemAlloc(&p, 1 << 20));
  WORKS(cuEventRecord(start, stream));
  WORKS(cuMemsetD8Async(p, 1, 1 << 20, stream));
  WORKS(cuEventRecord(end, stream));
  WORKS(cuStreamWaitEvent(other, end, 0));
  WORKS(cuMemsetD8Async(p, 2, 1, other));
  WORKS(cuStreamSynchronize(other));
  WORKS(cuEventSynchronize(end));
  WORKS(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0);
  unsigned char first[2] = {};
  WORKS(cuMemcpyDtoH(first, p, 2));
  EXPECT(first[0] == 2 && first[1] == 1);
  WORKS(cuStreamQuery(stream));
  unsigned flags = 0;
  WORKS(cuStreamGetFlags(stream, &flags));
  EXPECT(flags == CU_STREAM_NON_BLOCKING);

  int calls = 0;
  WORKS(cuLaunchHostFunc(
      stream, [](void* data) { ++*static_cast<int*>(data); }, &calls));
  WORKS(cuStreamSynchronize(stream));
  EXPECT(calls == 1);
  WORKS(cuMemsetD8Async(p, 3, 16, CU_STREAM_PER_THREAD));
  WORKS(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  WORKS(cuStreamSynchronize(CU_STREAM_LEGACY));

  CUdeviceptr ordered = 0;
  WORKS(cuMemAllocAsync(&ordered, 256, stream));
  WORKS(cuMemsetD32Async(ordered, 9, 64, stream));
  WORKS(cuMemFreeAsync(ordered, stream));
  WORKS(cuMemFree(p));
  WORKS(cuEventDestroy(start));
  WORKS(cuEventDestroy(end));
  WORKS(cuStreamDestroy(other));
  WORKS(cuStreamDestroy(stream));
}

void threads() {
  CUcontext context = nullptr;
  WORKS(cuCtxGetCurrent(&context));
  CUmodule const module = load(scale_ptx);
  CUfunction const scale = function_of(module, "scale");
  bool right[4] = {};
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      bool good = cuCtxSetCurrent(context) == CUDA_SUCCESS;
      CUdeviceptr data = 0;
      good = good && cuMemAlloc(&data, 4000) == CUDA_SUCCESS;
      std::vector<std::uint32_t> values(1000);
      for (int round = 0; good && round < 20; ++round) {
        std::uint32_t factor = 1;
        unsigned count = 1000;
        void* parameters[] = {&data, &factor, &count};
        values.assign(1000, static_cast<std::uint32_t>(t * 1000 + round));
        good = cuMemcpyHtoDAsync(data, values.data(), 4000, CU_STREAM_PER_THREAD) == CUDA_SUCCESS &&
               cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, CU_STREAM_PER_THREAD, parameters, nullptr) ==
                   CUDA_SUCCESS &&
               cuMemcpyDtoHAsync(values.data(), data, 4000, CU_STREAM_PER_THREAD) == CUDA_SUCCESS &&
               cuStreamSynchronize(CU_STREAM_PER_THREAD) == CUDA_SUCCESS;
        for (unsigned i = 0; i < 1000; ++i)
          good = good && values[i] == static_cast<std::uint32_t>(t * 1000 + round) + i;
      }
      right[t] = good && cuMemFree(data) == CUDA_SUCCESS;
    });
  for (std::thread& thread : all)
    thread.join();
  EXPECT(right[0] && right[1] && right[2] && right[3]);
  WORKS(cuModuleUnload(module));
}

} // namespace

int main() {
  WORKS(cuInit(0));
  CUcontext context = nullptr;
  WORKS(cuCtxCreate(&context, nullptr, 0, 0));
  memory();
  large_copies();
  rectangles();
  streams_and_events();
  threads();
  WORKS(cuCtxDestroy(context));
  return expectations::verdict();
}
