// SPDX-License-Identifier: Apache-2.0
// Wrong launches, handles, pointers and names: each returns its documented error at once, no error is sticky,
// and the program computes correctly after each.
#include "workloads/faults/faults.h"

using namespace workload;

__global__ void store(unsigned* where, unsigned value) {
  extern __shared__ unsigned dynamic[];
  if (threadIdx.x == 0) dynamic[0] = value;
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) *where = dynamic[0];
}

__constant__ unsigned a_symbol[4];

class Cases {
public:
  explicit Cases(unsigned* where) : where_(where) {}

  void launch(char const* what, dim3 grid, dim3 block, std::size_t shared,
              std::initializer_list<cudaError_t> allowed) {
    store<<<grid, block, shared>>>(where_, 0);
    cudaError_t const at_once = cudaPeekAtLastError();
    note(what, at_once, allowed);
  }

  // cudaGetLastError returns the error of a failed call once more, and not again after that.
  void note(char const* what, cudaError_t got, std::initializer_list<cudaError_t> allowed) {
    ++count_;
    std::string wrong = expect(what, got, allowed);
    cudaError_t const last = cudaGetLastError();
    if (wrong.empty() && last != got)
      wrong = std::string(what) + ": cudaGetLastError gave " + cudaGetErrorName(last);
    if (wrong.empty() && cudaGetLastError() != cudaSuccess) wrong = std::string(what) + ": the error stays";
    if (wrong.empty()) wrong = good_launch(what);
    if (first_.empty()) first_ = wrong;
  }

  std::string const& first_failure() const { return first_; }
  std::uint64_t count() const { return count_; }

private:
  std::string good_launch(char const* after) {
    unsigned const value = static_cast<unsigned>(count_) + 1000;
    unsigned got = 0;
    store<<<2, 64, 1024>>>(where_, value);
    cudaError_t const launched = cudaGetLastError();
    cudaError_t const copied = cudaMemcpy(&got, where_, sizeof got, cudaMemcpyDeviceToHost);
    if (launched == cudaSuccess && copied == cudaSuccess && got == value) return {};
    return std::string("a correct launch after '") + after + "' fails: " + cudaGetErrorName(launched) + ", " +
           cudaGetErrorName(copied);
  }

  unsigned* where_;
  std::string first_;
  std::uint64_t count_ = 0;
};

static void shapes(Cases& cases) {
  cases.launch("2048 threads in a block", 1, 2048, 64, {cudaErrorInvalidConfiguration});
  cases.launch("65 threads in z", 1, dim3(1, 1, 65), 64, {cudaErrorInvalidConfiguration});
  cases.launch("32 x 64 threads", 1, dim3(32, 64, 1), 64, {cudaErrorInvalidConfiguration});
  cases.launch("an empty block", 1, dim3(32, 0, 1), 64, {cudaErrorInvalidConfiguration});
  cases.launch("an empty grid", dim3(0, 1, 1), 32, 64, {cudaErrorInvalidConfiguration});
  cases.launch("65536 blocks in y", dim3(1, 65536, 1), 32, 64,
               {cudaErrorInvalidConfiguration, cudaErrorInvalidValue});
  // The documentation does not say which error it is.
  cases.launch("16 MiB of shared memory", 1, 32, 16u << 20,
               {cudaErrorInvalidValue, cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources});
  cases.note("cudaFuncSetAttribute of 16 MiB",
             cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 16 << 20),
             {cudaErrorInvalidValue});
}

// More than 48 KiB needs opt-in, if the device has more.
static void shared_memory_by_consent(Cases& cases) {
  int most = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (most <= 49152) return;
  cases.launch("more than 48 KiB without asking", 1, 32, static_cast<std::size_t>(most),
               {cudaErrorInvalidValue, cudaErrorLaunchOutOfResources});
  cases.note("asking for it", cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             {cudaSuccess});
  cases.launch("more than 48 KiB after asking", 1, 32, static_cast<std::size_t>(most), {cudaSuccess});
}

static void handles(Cases& cases) {
  cudaStream_t stream;
  cudaEvent_t event;
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaEventCreate(&event));
  CHECK_CUDA(cudaEventDestroy(event));
  std::initializer_list<cudaError_t> const gone = {cudaErrorInvalidResourceHandle,
                                                   cudaErrorContextIsDestroyed};
  cases.note("a destroyed stream", cudaStreamSynchronize(stream), gone);
  cases.note("a destroyed event", cudaEventRecord(event, nullptr), gone);
  cases.note("a stream destroyed twice", cudaStreamDestroy(stream), gone);
}

static void pointers(Cases& cases) {
  void* memory = nullptr;
  char local[16] = {};
  CHECK_CUDA(cudaMalloc(&memory, 64));
  CHECK_CUDA(cudaFree(memory));
  cases.note("memory freed twice", cudaFree(memory), {cudaErrorInvalidValue});
  cases.note("cudaFree inside of nothing", cudaFree(reinterpret_cast<void*>(std::uintptr_t{0x10})),
             {cudaErrorInvalidValue});
  cases.note("cudaMalloc to nowhere", cudaMalloc(static_cast<void**>(nullptr), 64), {cudaErrorInvalidValue});
  cases.note("cudaMalloc of 2^60 bytes", cudaMalloc(&memory, std::size_t{1} << 60),
             {cudaErrorMemoryAllocation});
  cases.note("a copy to address 16",
             cudaMemcpy(reinterpret_cast<void*>(std::uintptr_t{16}), local, 16, cudaMemcpyHostToDevice),
             {cudaErrorInvalidValue});
  cases.note("a copy of unknown direction", cudaMemcpy(local, local, 16, static_cast<cudaMemcpyKind>(99)),
             {cudaErrorInvalidMemcpyDirection});
}

static void names(Cases& cases) {
  static int not_a_symbol;
  unsigned const values[8] = {};
  cases.note("device 1048576", cudaSetDevice(1 << 20), {cudaErrorInvalidDevice});
  cases.note("a copy to no symbol", cudaMemcpyToSymbol(not_a_symbol, values, 4), {cudaErrorInvalidSymbol});
  cases.note("a copy past a symbol's end", cudaMemcpyToSymbol(a_symbol, values, sizeof values),
             {cudaErrorInvalidValue});
  cases.note("a launch of no kernel", cudaLaunchKernel(&not_a_symbol, dim3(1), dim3(1), nullptr, 0, nullptr),
             {cudaErrorInvalidDeviceFunction});
  cases.note("cudaMemcpyToSymbol in bounds", cudaMemcpyToSymbol(a_symbol, values, 16), {cudaSuccess});
}

int main(int argc, char** argv) {
  std::uint64_t rounds = 1;
  Arguments("bad_launch", "Makes wrong calls and expects the documented error of each.")
      .number("--rounds", rounds, 1, 100000, "times that all cases are run")
      .parse(argc, argv);

  DeviceArray<unsigned> where(1);
  Cases cases(where.get());
  Stopwatch const watch;
  for (std::uint64_t round = 0; round < rounds && cases.first_failure().empty(); ++round) {
    shapes(cases);
    if (round == 0) shared_memory_by_consent(cases); // the opt-in stays for the rest of the program
    handles(cases);
    pointers(cases);
    names(cases);
  }
  return report({"bad_launch", cases.count(), "cases", watch.seconds()}, cases.first_failure());
}
