// SPDX-License-Identifier: Apache-2.0
// Copies between host and device, from one page up, with pageable and with pinned memory: measures the rates,
// and checks that the data returns unchanged.
#include "workloads/common.h"

using namespace workload;

struct Plan {
  std::uint64_t smallest_kib = 4, largest_kib = 16384, min_copies = 4;
  double seconds = 0.02;
};

// GB/s of copies of one size: as many as fit in the time, with a minimum.
template <class Copy> static double rate(Plan const& plan, std::size_t bytes, Copy copy) {
  copy(); // warm-up
  Stopwatch const watch;
  std::uint64_t copies = 0;
  while (copies < plan.min_copies || watch.seconds() < plan.seconds) {
    copy();
    ++copies;
  }
  return static_cast<double>(copies) * static_cast<double>(bytes) / watch.seconds() / 1e9;
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("copies", "Copies between host and device, by size.")
      .number("--smallest-kib", plan.smallest_kib, 1, 1u << 22,
              "the first size; each next is four times as large")
      .number("--largest-kib", plan.largest_kib, 1, 1u << 22, "the largest size")
      .number("--least-copies", plan.min_copies, 1, 1000, "copies of each size, at least")
      .real("--seconds", plan.seconds, 0, 60, "time for each size and direction")
      .parse(argc, argv);

  std::size_t const largest = plan.largest_kib * 1024;
  std::vector<unsigned> pageable(largest / sizeof(unsigned));
  for (std::size_t i = 0; i < pageable.size(); ++i)
    pageable[i] = static_cast<unsigned>(i * 2654435761u);
  std::vector<unsigned> const expected(pageable);
  unsigned* pinned = nullptr;
  CHECK_CUDA(cudaMallocHost(&pinned, largest));
  std::copy(pageable.begin(), pageable.end(), pinned);
  DeviceArray<unsigned> device(pageable.size());

  Stopwatch const watch;
  std::string rates, mismatch;
  std::uint64_t sizes = 0;
  for (std::size_t bytes = plan.smallest_kib * 1024; bytes <= largest; bytes *= 4)
    for (unsigned* const host : {pageable.data(), pinned}) {
      double const up = rate(
          plan, bytes, [&] { CHECK_CUDA(cudaMemcpy(device.get(), host, bytes, cudaMemcpyHostToDevice)); });
      std::fill_n(host, bytes / sizeof(unsigned), 0u);
      double const down = rate(
          plan, bytes, [&] { CHECK_CUDA(cudaMemcpy(host, device.get(), bytes, cudaMemcpyDeviceToHost)); });
      if (!std::equal(expected.begin(), expected.end(), host))
        mismatch = "what came back is not what was sent";
      char text[128];
      std::snprintf(text, sizeof text, "%s{\"bytes\":%zu,\"pinned\":%s,\"up\":%.6f,\"down\":%.6f}",
                    rates.empty() ? "" : ",", bytes, host == pinned ? "true" : "false", up, down);
      rates += text;
      ++sizes;
    }
  double const seconds = watch.seconds();
  CHECK_CUDA(cudaFreeHost(pinned));
  return report({"copies", sizes, "sizes", seconds, ",\"gb_per_s\":[" + rates + "]"}, mismatch);
}
