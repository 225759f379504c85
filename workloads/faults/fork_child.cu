// SPDX-License-Identifier: Apache-2.0
// CUDA does not survive fork(): in the child every call returns cudaErrorInitializationError;
// the parent continues.
#include "workloads/faults/faults.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace workload;

__global__ void add_one(unsigned* values) { values[threadIdx.x] += 1; }

static std::string run_kernel(unsigned* values, unsigned expected) {
  add_one<<<1, 32>>>(values);
  CHECK_CUDA(cudaGetLastError());
  std::vector<unsigned> got(32);
  CHECK_CUDA(cudaMemcpy(got.data(), values, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return first_mismatch("value", got, std::vector<unsigned>(32, expected));
}

static std::string try_in_child(unsigned* values) {
  void* memory = nullptr;
  unsigned word = 0;
  std::string wrong = expect("child: cudaMalloc", cudaMalloc(&memory, 64), {cudaErrorInitializationError});
  if (wrong.empty())
    wrong = expect("child: cudaMemcpy", cudaMemcpy(&word, values, sizeof word, cudaMemcpyDeviceToHost),
                   {cudaErrorInitializationError});
  if (wrong.empty())
    wrong = expect("child: cudaDeviceSynchronize", cudaDeviceSynchronize(), {cudaErrorInitializationError});
  return wrong;
}

int main(int argc, char** argv) {
  std::uint64_t children = 2;
  Arguments("fork_child", "Forks after CUDA was used; only the parent may go on with it.")
      .number("--children", children, 1, 100, "children, one after another")
      .parse(argc, argv);

  DeviceArray<unsigned> values(32);
  values.fill_bytes(0);
  Stopwatch const watch;
  std::string wrong = run_kernel(values.get(), 1);
  for (unsigned i = 0; i < children && wrong.empty(); ++i) {
    std::fflush(stdout);
    pid_t const child = fork();
    if (child < 0) fail("fork failed");
    if (child == 0) {
      std::string const child_wrong = try_in_child(values.get());
      if (!child_wrong.empty()) std::printf("child: %s\n", child_wrong.c_str());
      std::fflush(stdout);
      _exit(child_wrong.empty() ? 0 : 1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) fail("waitpid failed");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      wrong = "the child did not get its error, or died (wait status " + std::to_string(status) + ")";
    if (wrong.empty()) wrong = run_kernel(values.get(), 2 + i);
  }
  return report({"fork_child", children, "children", watch.seconds()}, wrong);
}
