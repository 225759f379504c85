// SPDX-License-Identifier: Apache-2.0
// Virtual memory management as PyTorch's expandable segments use it: one large reservation of addresses whose front
// is mapped, piece by piece, while kernels and copies use all of it; its tail is unmapped, and mapped again.
#include "workloads/common.h"

#include <cuda.h>
#include <numeric>

using namespace workload;

#define CHECK_CU(call) check_driver((call), #call, __LINE__)

static void check_driver(CUresult status, char const* call, int line) {
  if (status == CUDA_SUCCESS) return;
  char const* name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
  fail("expandable.cu:%d: %s: %s (%d)", line, call, name, static_cast<int>(status));
}

constexpr unsigned stride = 256; // words; one of so many is used

__global__ void advance(unsigned* words, unsigned count) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[std::size_t{i} * stride] += i + 1;
}

// Mapped from its first byte on.
class Segment {
public:
  explicit Segment(std::size_t reserved) : reserved_(reserved) {
    int device = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties_.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties_.location.id = device;
    CHECK_CU(cuMemGetAllocationGranularity(&granule_, &properties_, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_CU(cuMemAddressReserve(&base_, reserved_, 0, 0, 0));
  }
  ~Segment() { // it is empty
    CHECK_CU(cuMemAddressFree(base_, reserved_));
  }
  Segment(Segment const&) = delete;
  Segment& operator=(Segment const&) = delete;

  void grow(std::size_t bytes) {
    CUmemGenericAllocationHandle handle = 0;
    bytes = (bytes + granule_ - 1) / granule_ * granule_;
    CHECK_CU(cuMemCreate(&handle, bytes, &properties_, 0));
    append(handle, bytes);
  }
  void append(CUmemGenericAllocationHandle handle, std::size_t bytes) {
    CHECK_CU(cuMemMap(base_ + mapped_, bytes, 0, handle, 0));
    CUmemAccessDesc access{};
    access.location = properties_.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_CU(cuMemSetAccess(base_ + mapped_, bytes, &access, 1));
    pieces_.push_back({handle, bytes});
    mapped_ += bytes;
  }
  // The last piece, which the caller must release or append again.
  CUmemGenericAllocationHandle cut() {
    auto const [handle, bytes] = pieces_.back();
    pieces_.pop_back();
    mapped_ -= bytes;
    CHECK_CU(cuMemUnmap(base_ + mapped_, bytes));
    return handle;
  }
  void shrink() { CHECK_CU(cuMemRelease(cut())); }

  std::size_t pieces() const { return pieces_.size(); }
  std::size_t last_bytes() const { return pieces_.back().bytes; }
  unsigned count() const { return static_cast<unsigned>(mapped_ / sizeof(unsigned) / stride); }
  unsigned* words() const { return reinterpret_cast<unsigned*>(base_); }

private:
  struct Piece {
    CUmemGenericAllocationHandle handle;
    std::size_t bytes;
  };
  CUmemAllocationProp properties_{};
  CUdeviceptr base_ = 0;
  std::size_t reserved_, granule_ = 0, mapped_ = 0;
  std::vector<Piece> pieces_;
};

// What the words that are used should hold.
static void run(Segment const& segment, std::vector<unsigned>& expected) {
  unsigned const count = segment.count(), threads = 128;
  expected.resize(count, 0); // new memory reads as zero
  advance<<<(count + threads - 1) / threads, threads>>>(segment.words(), count);
  CHECK_CUDA(cudaGetLastError());
  for (unsigned i = 0; i < count; ++i)
    expected[i] += i + 1;
}

static std::string check(Segment const& segment, std::vector<unsigned> const& expected, char const* when) {
  std::vector<unsigned> got(segment.count()); // one copy, across all borders of pieces
  CHECK_CUDA(cudaMemcpy2D(got.data(), sizeof(unsigned), segment.words(), stride * sizeof(unsigned),
                          sizeof(unsigned), got.size(), cudaMemcpyDeviceToHost));
  return first_mismatch(when, got, expected);
}

static std::size_t free_memory() {
  std::size_t left = 0, total = 0;
  CHECK_CUDA(cudaMemGetInfo(&left, &total));
  return left;
}

int main(int argc, char** argv) {
  std::uint64_t mib = 1024, pieces = 10, rounds = 2;
  Arguments("expandable",
            "Maps memory piece by piece into one reservation, and unmaps and maps its tail again.")
      .number("--reserved-mib", mib, 64, 1 << 16, "how many addresses")
      .number("--pieces", pieces, 2, 10, "how many pieces: of 2 MiB, 4 MiB, ...")
      .number("--rounds", rounds, 1, 100, "how often it grows and shrinks")
      .parse(argc, argv);
  if (pieces * (pieces + 1) > mib)
    fail("--reserved-mib must be %llu at least", static_cast<unsigned long long>(pieces * (pieces + 1)));

  CHECK_CUDA(cudaFree(nullptr));
  advance<<<1, 1>>>(nullptr, 0); // its code takes memory, too
  CHECK_CUDA(cudaDeviceSynchronize());
  std::size_t const free_before = free_memory();
  Stopwatch const watch;
  std::string mismatch;
  std::uint64_t work = 0;
  {
    Segment segment(mib << 20), other(mib << 20);
    std::vector<unsigned> expected;
    for (std::uint64_t round = 0; round < rounds && mismatch.empty(); ++round) {
      while (segment.pieces() < pieces) {
        segment.grow((segment.pieces() + 1) << 21);
        run(segment, expected);
        work += segment.count();
      }
      mismatch = check(segment, expected, "grown");
      while (segment.pieces() > pieces / 2)
        segment.shrink();
      expected.resize(segment.count());
      run(segment, expected);
      if (mismatch.empty()) mismatch = check(segment, expected, "shrunk");
    }
    // A piece that moves to other addresses keeps what it holds.
    std::size_t const bytes = segment.last_bytes();
    CUmemGenericAllocationHandle const moved = segment.cut();
    std::vector<unsigned> tail(expected.begin() + segment.count(), expected.end());
    other.append(moved, bytes);
    run(other, tail);
    if (mismatch.empty()) mismatch = check(other, tail, "moved");
    other.shrink();
    while (segment.pieces() > 0)
      segment.shrink();
  }
  if (std::size_t const left = free_memory(); mismatch.empty() && left != free_before)
    mismatch =
        "of " + std::to_string(free_before) + " bytes that were free, " + std::to_string(left) + " are";
  return report({"expandable", work, "words", watch.seconds()}, mismatch);
}
