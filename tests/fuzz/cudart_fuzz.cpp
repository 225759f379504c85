// SPDX-License-Identifier: Apache-2.0
// libcudart on top of libcuda against a hostile worker (hostile_worker.h). Whatever it answers: no call crashes or
// hangs, each returns an error that CUDA has, the last error is kept and cleared as CUDA says, and memory of the
// program is written only where a call says so.
//
// Input: 8 bits that choose whether the device's properties are lies too, then steps (cudart_program.h), with the
// worker's lies in between.
#include "frontend/channel/ring_channel.h"
#include "frontend/cudart/driver.h"
#include "tests/fuzz/cudart_program.h"
#include "tests/fuzz/hostile_worker.h"
#include "tests/fuzz/victim.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace {

using namespace pegasus;
using fuzz::require;

constexpr unsigned max_steps = 48;

frontend::RingChannel* channel_now = nullptr;

void run_program(fuzz::Input input) {
  bool const lies_in_profile = input.take<std::uint8_t>() % 2 == 1;
  fuzz::HostileWorker worker(input, fuzz::victim());
  if (lies_in_profile) worker.lie_in_profile();
  frontend::RingChannel channel = fuzz::open_channel(worker);
  channel_now = &channel;
  fuzz::CudartProgram program(input);
  for (unsigned step = 0; step < max_steps && !input.empty(); ++step) {
    program.step();
    fuzz::check_victim();
  }

  // An honest worker releases everything and clears the sticky error.
  fuzz::Input nothing(nullptr, 0);
  fuzz::HostileWorker honest(nothing, 0);
  frontend::RingChannel last = fuzz::open_channel(honest);
  channel_now = &last;
  program.give_up();
  require(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
  require(cudaPeekAtLastError() == cudaSuccess);
  channel_now = nullptr;
}

int cuda_library; // its address stands for libcuda.so.1, which is part of this program

struct DriverFunction {
  char const* name;
  void* function;
};
constexpr auto row = [](char const* name, auto* function) {
  return DriverFunction{name, reinterpret_cast<void*>(function)};
};
DriverFunction const driver_functions[] = {
#define PEGASUS_DRIVER_FUNCTION(name) row(#name, &::name),
    PEGASUS_DRIVER_CALLS(PEGASUS_DRIVER_FUNCTION)
#undef PEGASUS_DRIVER_FUNCTION
};

} // namespace

// The linker gives these to libcudart in place of dlopen and dlsym (--wrap).
extern "C" {
void* __real_dlopen(char const* name, int flags);
void* __real_dlsym(void* library, char const* name);
void* __wrap_dlopen(char const* name, int flags);
void* __wrap_dlsym(void* library, char const* name);

void* __wrap_dlopen(char const* name, int flags) {
  bool const ours = name != nullptr && std::strcmp(name, "libcuda.so.1") == 0;
  return ours ? &cuda_library : __real_dlopen(name, flags);
}

void* __wrap_dlsym(void* library, char const* name) {
  if (library != &cuda_library) return __real_dlsym(library, name);
  for (auto const& known : driver_functions)
    if (std::strcmp(known.name, name) == 0) return known.function;
  return nullptr;
}
}

// Replaces the function that opens a connection.
frontend::Channel* frontend::Channel::get(int& status) {
  status = channel_now == nullptr ? 100 : 0;
  return channel_now;
}

// The libraries' messages to the program would hide the fuzzer's messages.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  require(std::freopen("/dev/null", "w", stdout) != nullptr);
  stderr = std::fopen("/dev/null", "w");
  return stderr == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  run_program(fuzz::Input(data, bytes));
  return 0;
}
