// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace pegasus::facts {
namespace {

constexpr std::size_t bytes = std::size_t{16} << 20;
constexpr int times = 20;

double gb_per_s(double begin) { return 1e-3 * times * static_cast<double>(bytes) / (now_us() - begin); }

enum class Way { up, down, both };

void measure(Session const& session, CUdeviceptr there, void* here, char const* kind, Way way) {
  CUstream other = nullptr;
  check(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  double begin = 0;
  for (int n = -1; n < times; ++n) {
    if (n == 0) session.synchronize();
    if (n == 0) begin = now_us();
    if (way != Way::down) check(cuMemcpyHtoDAsync(there, here, bytes, session.stream()), "cuMemcpyHtoDAsync");
    CUstream const down = way == Way::both ? other : session.stream();
    if (way != Way::up)
      check(cuMemcpyDtoHAsync(static_cast<char*>(here) + bytes, there + bytes, bytes, down),
            "cuMemcpyDtoHAsync");
  }
  session.synchronize();
  check(cuStreamSynchronize(other), "cuStreamSynchronize");
  constexpr std::array names{"up", "down", "both ways at once, each"};
  fact(fmt::format("copy {} MiB, {}, {}", bytes >> 20, kind, names[static_cast<std::size_t>(way)]),
       gb_per_s(begin), "GB/s");
}

// As the call buffer between a guest and its worker.
void* shared_memory() {
  int const file = memfd_create("gpu_facts", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, 2 * bytes) != 0) throw std::runtime_error("no memfd");
  void* const memory = mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return memory;
}

} // namespace

void copies() {
  Session session;
  CUdeviceptr there = 0;
  check(cuMemAlloc(&there, 2 * bytes), "cuMemAlloc");
  std::vector<char> plain(2 * bytes, 1);
  void* const shared = shared_memory();
  void* pinned = nullptr;
  check(cuMemAllocHost(&pinned, 2 * bytes), "cuMemAllocHost");
  std::memset(pinned, 1, 2 * bytes);
  double begin = now_us();
  CUresult const registered = cuMemHostRegister(shared, 2 * bytes, 0);
  if (registered == CUDA_SUCCESS)
    fact("register 32 MiB of a memfd", now_us() - begin, "us");
  else
    note(fmt::format("a memfd cannot be registered: {}", name_of(registered)));
  for (Way const way : {Way::up, Way::down, Way::both}) {
    measure(session, there, pinned, "pinned", way);
    if (registered == CUDA_SUCCESS) measure(session, there, shared, "a registered memfd", way);
    measure(session, there, plain.data(), "pageable", way);
  }
  begin = now_us();
  for (int n = 0; n < times; ++n)
    std::memcpy(plain.data(), pinned, bytes);
  fact("memcpy of 16 MiB by one core", gb_per_s(begin), "GB/s");
  begin = now_us();
  constexpr int small = 200;
  for (int n = 0; n < small; ++n) {
    check(cuMemcpyDtoHAsync(pinned, there, 4096, session.stream()), "cuMemcpyDtoHAsync");
    session.synchronize();
  }
  fact("copy 4 KiB down, and wait", (now_us() - begin) / small, "us");
}

} // namespace pegasus::facts
