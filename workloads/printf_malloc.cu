// SPDX-License-Identifier: Apache-2.0
// printf, malloc and free in device code. The printed text is captured in a file instead of standard output
// and compared line by line with the output of the host's printf for the same values.
#include "workloads/common.h"

#include <algorithm>
#include <unistd.h>

using namespace workload;

constexpr unsigned printing_threads = 8, whole_line_arguments = 6;

#define INTEGER_LINE "thread %d: %5u|%-6d|%x|%lld|%c\n"
#define REAL_LINE "thread %d: %f %.3e %g %8.2f %s\n"

__global__ void print_lines(int* returned, void const* address) {
  int const i = static_cast<int>(threadIdx.x);
  returned[i] = printf(INTEGER_LINE, i, 7u * i, -i, 0xabc0 + i, -5000000000ll - i, 'a' + i);
  float const single = 0.25f * static_cast<float>(i); // promoted to double, as in C's variable arguments
  printf(REAL_LINE, i, single, 1.5e10 + i, 1e-7 * i, -3.14159 * i, i % 2 ? "odd" : "even");
  if (i == 0) {
    printf("address %p\n", address);
    printf("no argument, 100%%\n");
  }
}

// Replaces standard output by an unnamed file until read() is called.
class CapturedOutput {
public:
  CapturedOutput() : file_(std::tmpfile()) {
    if (!file_) fail("no temporary file for the printed text");
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    if (saved_ < 0 || dup2(fileno(file_), STDOUT_FILENO) < 0) fail("standard output cannot be replaced");
  }
  CapturedOutput(CapturedOutput const&) = delete;
  CapturedOutput& operator=(CapturedOutput const&) = delete;

  std::vector<std::string> read_sorted_lines() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    std::rewind(file_);
    std::vector<std::string> lines(1);
    for (int c; (c = std::fgetc(file_)) != EOF;)
      if (c == '\n')
        lines.emplace_back();
      else
        lines.back() += static_cast<char>(c);
    std::fclose(file_);
    if (lines.back().empty()) lines.pop_back();
    std::sort(lines.begin(), lines.end()); // threads may print in any order
    return lines;
  }

private:
  std::FILE* file_;
  int saved_ = -1;
};

static std::vector<std::string> lines_on_cpu(void const* address) {
  std::vector<std::string> lines{"no argument, 100%"};
  char text[200];
  auto const add = [&](int length) {
    lines.emplace_back(text, static_cast<std::size_t>(length - 1));
  }; // no newline
  add(std::snprintf(text, sizeof text, "address %p\n", address));
  for (int i = 0; i < static_cast<int>(printing_threads); ++i) {
    add(std::snprintf(text, sizeof text, INTEGER_LINE, i, 7u * static_cast<unsigned>(i), -i,
                      static_cast<unsigned>(0xabc0 + i), -5000000000ll - i, 'a' + i));
    add(std::snprintf(text, sizeof text, REAL_LINE, i, 0.25 * i, 1.5e10 + i, 1e-7 * i, -3.14159 * i,
                      i % 2 ? "odd" : "even"));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

static std::string check_printf() {
  DeviceArray<int> returned(printing_threads);
  CapturedOutput output;
  print_lines<<<1, printing_threads>>>(returned.get(), returned.get());
  cudaError_t const launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
  std::vector<std::string> const got = output.read_sorted_lines(), expected = lines_on_cpu(returned.get());
  CHECK_CUDA(launched);
  CHECK_CUDA(finished);
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
    if (got[i] != expected[i]) return "printed '" + got[i] + "', expected '" + expected[i] + "'";
  if (got.size() != expected.size())
    return "printed " + std::to_string(got.size()) + " lines, expected " + std::to_string(expected.size());
  // CUDA Programming Guide, "Formatted Output": printf() returns the number of arguments parsed.
  return first_mismatch("printf's result", returned.download(),
                        std::vector<int>(printing_threads, whole_line_arguments));
}

struct Node {
  Node* next;
  unsigned value;
};

// Each thread builds a list, sums it, and frees all nodes but the head.
__global__ void build_lists(Node** heads, unsigned* sums, unsigned length) {
  unsigned const thread = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (unsigned i = 0; i < length; ++i) {
    Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
    if (!node || reinterpret_cast<unsigned long long>(node) % 16) { // the guide promises 16-byte alignment
      sums[thread] = ~0u;
      return;
    }
    node->next = head;
    node->value = thread + i;
    head = node;
  }
  unsigned sum = 0;
  while (head->next) {
    Node* const next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  sums[thread] = sum + head->value;
  heads[thread] = head; // the value of the head is the thread's number
}

// Memory from a kernel's malloc outlives the kernel.
__global__ void free_heads(Node** heads, unsigned* values, unsigned* huge_is_null) {
  unsigned const thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] = heads[thread]->value;
  free(heads[thread]);
  free(nullptr);
  if (thread == 0) *huge_is_null = malloc(size_t{1} << 44) == nullptr;
}

static std::string check_malloc(unsigned threads, unsigned length) {
  DeviceArray<Node*> heads(threads);
  DeviceArray<unsigned> sums(threads), values(threads), huge_is_null(1);
  build_lists<<<threads / 32, 32>>>(heads.get(), sums.get(), length);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<unsigned> expected_sums(threads), expected_values(threads);
  for (unsigned i = 0; i < threads; ++i) {
    expected_sums[i] = length * i + length * (length - 1) / 2;
    expected_values[i] = i;
  }
  std::string mismatch = first_mismatch("list sum", sums.download(), expected_sums);
  if (!mismatch.empty()) return mismatch; // the heads may not exist
  free_heads<<<threads / 32, 32>>>(heads.get(), values.get(), huge_is_null.get());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  mismatch = first_mismatch("list head", values.download(), expected_values);
  if (mismatch.empty() && huge_is_null.download()[0] != 1)
    mismatch = "a malloc of 16 TiB in a kernel succeeded";
  return mismatch;
}

int main(int argc, char** argv) {
  std::uint64_t warps = 16, length = 8, rounds = 4;
  Arguments("printf_malloc", "Prints and allocates in device code.")
      .number("--warps", warps, 1, 1024, "warps that allocate")
      .number("--length", length, 1, 64, "allocations of each thread")
      .number("--rounds", rounds, 1, 10000, "repeats; what is not freed would add up")
      .parse(argc, argv);

  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{256} << 20)); // before the first launch
  Stopwatch const watch;
  std::string mismatch = check_printf();
  for (std::uint64_t round = 0; round < rounds && mismatch.empty(); ++round)
    mismatch = check_malloc(static_cast<unsigned>(warps) * 32, static_cast<unsigned>(length));
  return report({"printf_malloc", warps * 32 * length * rounds, "allocations", watch.seconds()}, mismatch);
}
