// SPDX-License-Identifier: Apache-2.0
// The driver API without any runtime: PTX text, launches with argument pointers and with a packed
// buffer, module globals, asynchronous copies, events, entry points by name, and the documented errors
// of a few wrong calls.
#include "workloads/arguments.h"
#include "workloads/driver_api_kernels.h"
#include "workloads/report.h"

#include <cuda.h>
#include <cudaTypedefs.h>

using namespace workload;

#define CHECK_CU(call) check((call), #call, __LINE__)

static void check(CUresult status, char const* call, int line) {
  if (status == CUDA_SUCCESS) return;
  char const* name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
  fail("driver_api.cu:%d: %s: %s (%d)", line, call, name, static_cast<int>(status));
}

static void expect(CUresult got, CUresult expected, char const* what) {
  if (got != expected)
    fail("%s returned %d, expected %d", what, static_cast<int>(got), static_cast<int>(expected));
}

struct Plan {
  std::uint64_t elements = 200000, rounds = 10;
};

// The layout of saxpy's parameters, for launches with CU_LAUNCH_PARAM_BUFFER_POINTER.
struct SaxpyParameters {
  CUdeviceptr x, y;
  float a;
  unsigned n;
};
static_assert(sizeof(SaxpyParameters) == 24);

static void launch(CUfunction saxpy, SaxpyParameters parameters, CUstream stream, bool packed) {
  unsigned const block = 128, grid = (parameters.n + block - 1) / block;
  std::size_t bytes = sizeof parameters;
  void* pointers[] = {&parameters.x, &parameters.y, &parameters.a, &parameters.n};
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK_CU(cuLaunchKernel(saxpy, grid, 1, 1, block, 1, 1, 0, stream, packed ? nullptr : pointers,
                          packed ? extra : nullptr));
}

static void fill_by_entry_point(CUdeviceptr where, unsigned pattern, std::size_t words) {
  void* address = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  CHECK_CU(cuGetProcAddress("cuMemsetD32", &address, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &found));
  if (!address || found != CU_GET_PROC_ADDRESS_SUCCESS) fail("cuGetProcAddress does not know cuMemsetD32");
  CHECK_CU(reinterpret_cast<PFN_cuMemsetD32_v3020>(address)(where, pattern, words));
}

static void documented_errors(CUmodule module) {
  CUfunction function = nullptr;
  CUmodule other = nullptr;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  expect(cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND,
         "cuModuleGetFunction");
  expect(cuModuleGetGlobal(&address, &bytes, module, "no_such_global"), CUDA_ERROR_NOT_FOUND,
         "cuModuleGetGlobal");
  expect(cuModuleLoadData(&other, ".version 7.0\n.target sm_75\n.address_size 64\nnonsense;\n"),
         CUDA_ERROR_INVALID_PTX, "cuModuleLoadData of broken PTX");
  CUdevice device = 0;
  expect(cuDeviceGet(&device, 1 << 20), CUDA_ERROR_INVALID_DEVICE, "cuDeviceGet");
}

// y = (0.75 x + y + 0.5), `rounds` times.
static std::string run_saxpy(CUmodule module, Plan const& plan, float& milliseconds) {
  CUfunction saxpy;
  CHECK_CU(cuModuleGetFunction(&saxpy, module, "saxpy"));
  int threads = 0;
  CHECK_CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, saxpy));
  if (threads < 128) return "saxpy allows fewer than 128 threads in a block";

  std::size_t const bytes = plan.elements * sizeof(float);
  std::vector<float> x(plan.elements), expected(plan.elements, 1.0f), y(plan.elements);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 1000) * 0.125f;
  CUdeviceptr device_x = 0, device_y = 0;
  CUstream stream;
  CUevent begin, end;
  CHECK_CU(cuMemAlloc(&device_x, bytes));
  CHECK_CU(cuMemAlloc(&device_y, bytes));
  CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK_CU(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK_CU(cuEventCreate(&end, CU_EVENT_DEFAULT));
  fill_by_entry_point(device_y, 0x3f800000u, plan.elements); // 1.0f
  CHECK_CU(cuCtxSynchronize()); // the stream does not wait for the default stream
  CHECK_CU(cuMemcpyHtoDAsync(device_x, x.data(), bytes, stream));
  CHECK_CU(cuEventRecord(begin, stream));
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    launch(saxpy, {device_x, device_y, 0.75f, static_cast<unsigned>(plan.elements)}, stream, round % 2 == 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = std::fma(0.75f, x[i], expected[i]) + 0.5f; // rounded step by step, as in the PTX
  }
  CHECK_CU(cuEventRecord(end, stream));
  CHECK_CU(cuMemcpyDtoHAsync(y.data(), device_y, bytes, stream));
  CHECK_CU(cuStreamSynchronize(stream));
  CHECK_CU(cuEventQuery(end));
  CHECK_CU(cuEventElapsedTime(&milliseconds, begin, end));
  CHECK_CU(cuEventDestroy(begin));
  CHECK_CU(cuEventDestroy(end));
  CHECK_CU(cuStreamDestroy(stream));
  CHECK_CU(cuMemFree(device_x));
  CHECK_CU(cuMemFree(device_y));
  return first_mismatch("y", y, expected);
}

static std::string check_counter(CUmodule module, Plan const& plan) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  CHECK_CU(cuModuleGetGlobal(&address, &bytes, module, "launches"));
  if (bytes != 4) return "the module's global has " + std::to_string(bytes) + " bytes, expected 4";
  unsigned launches = 0;
  CHECK_CU(cuMemcpyDtoH(&launches, address, sizeof launches));
  if (launches == 5 + plan.rounds) return {}; // 5 is its initial value
  return "the module counted " + std::to_string(launches) + ", expected " + std::to_string(5 + plan.rounds);
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("driver_api", "Runs a kernel given as PTX text through the CUDA driver API.")
      .number("--elements", plan.elements, 1, 1u << 26, "length of the vectors")
      .number("--rounds", plan.rounds, 1, 100000, "launches, by pointers and by packed buffer in turn")
      .parse(argc, argv);

  expect(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED, "cuCtxSynchronize before cuInit");
  CHECK_CU(cuInit(0));
  CUdevice device;
  CUcontext context, current = nullptr;
  CUmodule module;
  char name[128] = "";
  int major = 0, minor = 0;
  CHECK_CU(cuDeviceGet(&device, 0));
  CHECK_CU(cuDeviceGetName(name, sizeof name, device));
  CHECK_CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK_CU(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  std::printf("driver_api: %s, compute capability %d.%d\n", name, major, minor);
  CHECK_CU(cuCtxCreate(&context, nullptr, 0, device));
  CHECK_CU(cuCtxGetCurrent(&current));
  if (current != context) fail("a new context is not the current one");
  CHECK_CU(cuModuleLoadData(&module, driver_api_ptx));

  Stopwatch const watch;
  float milliseconds = 0;
  std::string mismatch = run_saxpy(module, plan, milliseconds);
  if (mismatch.empty()) mismatch = check_counter(module, plan);
  if (mismatch.empty() && !(milliseconds >= 0)) mismatch = "the elapsed time is negative";
  documented_errors(module);
  double const seconds = watch.seconds();
  CHECK_CU(cuModuleUnload(module));
  CHECK_CU(cuCtxDestroy(context));
  return report({"driver_api", plan.elements * plan.rounds, "elements", seconds}, mismatch);
}
