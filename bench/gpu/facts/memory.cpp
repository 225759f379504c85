// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/neighbour.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::facts {
namespace {

constexpr std::uint32_t pattern = 0x9e3779b9;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

void allocate(Session const& session, std::size_t bytes) {
  CUdeviceptr fresh = 0;
  double begin = now_us();
  if (CUresult const result = cuMemAlloc(&fresh, bytes); result != CUDA_SUCCESS)
    return note(fmt::format("allocate {} MiB: {}", bytes / mebibyte, name_of(result)));
  fact(fmt::format("allocate {} MiB", bytes / mebibyte), now_us() - begin, "us");
  begin = now_us();
  check(cuMemsetD8Async(fresh, 0, bytes, session.stream()), "cuMemsetD8Async");
  session.synchronize();
  fact(fmt::format("clear {} MiB", bytes / mebibyte), now_us() - begin, "us");
  begin = now_us();
  check(cuMemFree(fresh), "cuMemFree");
  fact(fmt::format("free {} MiB", bytes / mebibyte), now_us() - begin, "us");
}

void leave_pattern(Session& session, std::size_t bytes) {
  CUdeviceptr words = 0;
  check(cuMemAlloc(&words, bytes), "cuMemAlloc");
  check(session.launch_fill(words, bytes / sizeof pattern, pattern), "a kernel");
  session.synchronize();
  check(cuMemFree(words), "cuMemFree");
}

// How much of fresh memory still has the pattern of its previous owner.
void look(Session& session, std::size_t bytes, char const* whose) {
  CUdeviceptr words = 0, found = 0;
  std::uint64_t count = 0;
  check(cuMemAlloc(&found, 4096), "cuMemAlloc");
  check(cuMemsetD8Async(found, 0, 4096, session.stream()), "cuMemsetD8Async");
  check(cuMemAlloc(&words, bytes), "cuMemAlloc");
  check(session.launch_count_equal(words, bytes / sizeof pattern, pattern, found), "a kernel");
  session.synchronize();
  check(cuMemcpyDtoH(&count, found, sizeof count), "cuMemcpyDtoH");
  fact(fmt::format("of {} MiB that {} had freed, not clean", bytes / mebibyte, whose),
       static_cast<double>(count * sizeof pattern) / mebibyte, "MiB");
  check(cuMemFree(words), "cuMemFree");
}

} // namespace

void memory() {
  // Leaves its pattern, and is then killed with the memory still allocated.
  Neighbour before([] {
    return [](std::string const& mebibytes) {
      Session session;
      std::size_t const bytes = std::stoull(mebibytes) * mebibyte;
      CUdeviceptr words = 0;
      check(cuMemAlloc(&words, bytes), "cuMemAlloc");
      check(session.launch_fill(words, bytes / sizeof pattern, pattern), "a kernel");
      session.synchronize();
      return std::string("left");
    };
  });
  Session session;
  std::size_t left = 0, total = 0;
  check(cuMemGetInfo(&left, &total), "cuMemGetInfo");
  for (std::size_t bytes = 2 * mebibyte; bytes <= std::min(left / 2, 4096 * mebibyte); bytes *= 8)
    allocate(session, bytes);
  std::size_t const bytes = std::min(left / 4, 1024 * mebibyte) / mebibyte * mebibyte;
  leave_pattern(session, bytes);
  look(session, bytes, "this process");
  if (!before.ask(std::to_string(bytes / mebibyte), 20'000))
    throw std::runtime_error("the other process did not leave its pattern");
  before.kill();
  look(session, bytes, "a killed process");
}

} // namespace pegasus::facts
