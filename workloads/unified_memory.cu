// SPDX-License-Identifier: Apache-2.0
// Memory that the host and kernels share: managed allocations, managed variables, mapped host memory; pointers in it,
// copies of it, and a kernel that talks with the host while it runs.
#include "workloads/common.h"

#include <atomic>
#include <numeric>

using namespace workload;

namespace {

struct Node {
  Node* next;
  unsigned value;
};

__managed__ unsigned managed_sum;
__managed__ unsigned managed_table[8] = {1, 2, 3, 4};

__global__ void add(float const* x, float* y, unsigned count) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] + y[i];
}

__global__ void sum_list(Node const* first) {
  unsigned sum = 0;
  for (Node const* node = first; node != nullptr; node = node->next)
    sum += node->value;
  managed_sum = sum + managed_table[3];
  managed_table[0] = sum;
}

// Answers each question with its successor, until the question is 0.
__global__ void answer(unsigned volatile* question, unsigned volatile* reply) {
  for (unsigned last = 0;;) {
    unsigned const asked = *question;
    if (asked == 0) return;
    if (asked == last) continue;
    last = asked;
    *reply = asked + 1;
    __threadfence_system();
  }
}

__global__ void count_up(unsigned* counter, unsigned times) {
  for (unsigned i = 0; i < times; ++i)
    atomicAdd_system(counter, 1u);
}

template <class T> class Managed {
public:
  explicit Managed(std::size_t size) { CHECK_CUDA(cudaMallocManaged(&data_, size * sizeof(T))); }
  Managed(Managed const&) = delete;
  Managed& operator=(Managed const&) = delete;
  ~Managed() { CHECK_CUDA(cudaFree(data_)); }
  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

private:
  T* data_ = nullptr;
};

// The first CUDA program of many: no copies at all.
void check_arrays(unsigned count) {
  Managed<float> const x(count), y(count);
  for (unsigned i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = 2;
  }
  cudaMemLocation const device{cudaMemLocationTypeDevice, 0};
  CHECK_CUDA(cudaMemPrefetchAsync(x.get(), count * sizeof(float), device, 0, nullptr));
  CHECK_CUDA(cudaMemAdvise(x.get(), count * sizeof(float), cudaMemAdviseSetReadMostly, device));
  add<<<blocks_for(count, 256), 256>>>(x.get(), y.get(), count);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < count; ++i)
    if (y[i] != static_cast<float>(i % 1000) + 2) fail("managed array: element %u is %g", i, y[i]);
}

// Pointers in memory are the same on both sides.
void check_list(unsigned count) {
  Managed<Node> const nodes(count);
  for (unsigned i = 0; i < count; ++i)
    nodes[i] = {i + 1 < count ? &nodes[(i + 1) % count] : nullptr, i};
  sum_list<<<1, 1>>>(nodes.get());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  unsigned const sum = count * (count - 1) / 2;
  if (managed_sum != sum + 4) fail("managed variable is %u instead of %u", managed_sum, sum + 4);
  if (managed_table[0] != sum || managed_table[1] != 2) fail("managed array of a module is wrong");
  unsigned copied = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&copied, managed_sum, sizeof copied));
  if (copied != sum + 4) fail("a managed variable's copy is %u instead of %u", copied, sum + 4);
}

// The host and a running kernel answer each other through mapped memory.
void check_conversation(unsigned questions) {
  unsigned* words = nullptr;
  unsigned* device = nullptr;
  CHECK_CUDA(cudaHostAlloc(&words, 2 * sizeof *words, cudaHostAllocMapped));
  CHECK_CUDA(cudaHostGetDevicePointer(&device, words, 0));
  std::atomic_ref question(words[0]), reply(words[1]);
  question = 1;
  reply = 0;
  answer<<<1, 1>>>(device, device + 1);
  CHECK_CUDA(cudaGetLastError());
  Stopwatch const watch;
  for (unsigned asked = 1; asked <= questions; ++asked) {
    question = asked;
    while (reply != asked + 1)
      if (watch.seconds() > 60) fail("a running kernel does not see what the host writes, or the reverse");
  }
  question = 0;
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaFreeHost(words));
}

// Both add to one counter.
void check_atomics(unsigned times) {
  Managed<unsigned> const counter(1);
  std::atomic_ref count(counter[0]);
  count = 0;
  count_up<<<1, 32>>>(counter.get(), times);
  CHECK_CUDA(cudaGetLastError());
  for (unsigned i = 0; i < 32 * times; ++i)
    ++count;
  CHECK_CUDA(cudaDeviceSynchronize());
  if (count != 64 * times) fail("a counter of host and kernel is %u instead of %u", counter[0], 64 * times);
}

// Copies from and to memory that is shared keep the stream's order, and a blocking one is done when it returns.
void check_copies(unsigned count) {
  std::size_t const bytes = count * sizeof(unsigned);
  unsigned* pinned = nullptr;
  CHECK_CUDA(cudaMallocHost(&pinned, bytes));
  Managed<unsigned> const managed(count);
  DeviceArray<unsigned> const first(count), second(count);
  std::iota(pinned, pinned + count, 1u);
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDA(cudaMemcpyAsync(first.get(), pinned, bytes, cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaMemsetAsync(pinned, 0, bytes, stream));
  CHECK_CUDA(cudaMemcpyAsync(pinned, first.get(), bytes / 2, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaMemcpyAsync(second.get(), pinned, bytes, cudaMemcpyDefault, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaMemcpy(managed.get(), second.get(), bytes, cudaMemcpyDeviceToDevice));
  for (unsigned i = 0; i < count; ++i)
    if (managed[i] != (i < count / 2 ? i + 1 : 0)) fail("element %u of a copied array is %u", i, managed[i]);
  CHECK_CUDA(cudaMemset(managed.get(), 1, bytes));
  if (managed[count - 1] != 0x01010101) fail("cudaMemset of managed memory returned before it was done");
  std::vector<unsigned> const pageable(count, 5);
  CHECK_CUDA(cudaMemcpy(managed.get(), pageable.data(), bytes, cudaMemcpyHostToDevice));
  if (managed[count - 1] != 5) fail("cudaMemcpy to managed memory returned before it was done");
  CHECK_CUDA(cudaMemcpy(pinned, first.get(), bytes, cudaMemcpyDeviceToHost));
  if (pinned[count - 1] != count) fail("cudaMemcpy to pinned memory returned before it was done");
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaFreeHost(pinned));
}

void check_attributes() {
  Managed<int> const managed(1);
  cudaPointerAttributes attributes;
  CHECK_CUDA(cudaPointerGetAttributes(&attributes, managed.get()));
  if (attributes.type != cudaMemoryTypeManaged || attributes.hostPointer != managed.get() ||
      attributes.devicePointer != managed.get())
    fail("the attributes of a managed pointer are wrong");
  int* pinned = nullptr;
  CHECK_CUDA(cudaMallocHost(&pinned, sizeof *pinned));
  CHECK_CUDA(cudaPointerGetAttributes(&attributes, pinned));
  if (attributes.type != cudaMemoryTypeHost || attributes.devicePointer != pinned)
    fail("the attributes of a pinned pointer are wrong");
  CHECK_CUDA(cudaFreeHost(pinned));
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t elements = 1 << 18, questions = 100;
  Arguments("unified_memory", "Shares memory between the host and kernels.")
      .number("--elements", elements, 2, 1u << 26, "length of the arrays")
      .number("--questions", questions, 1, 1'000'000, "that the host asks a running kernel")
      .parse(argc, argv);
  auto const count = static_cast<unsigned>(elements);
  Stopwatch const watch;
  check_attributes();
  check_arrays(count);
  check_list(std::min(count, 10'000u));
  check_copies(count);
  check_atomics(20'000);
  check_conversation(static_cast<unsigned>(questions));
  return report({"unified_memory", elements, "elements", watch.seconds()}, "");
}
