// SPDX-License-Identifier: Apache-2.0
// A worker on a GPU whose driver lies (lying_driver.h), with a guest that sends any requests (device_guest.h). It
// answers each with an error of CUDA's, charges what it holds, destroys each object once, and hands the driver no
// range for the guest that the driver did not give it.
//
// Input: the domain's share of memory (8 bits, in units of 16 KiB), the worker's options (8 bits), the number of bytes
// of lies (8 bits), these, then the guest's steps.
#include "domA/device/cuda/empty_kernel.h"
#include "domA/device/cuda/profile.h"
#include "tests/fuzz/device_guest.h"
#include "tests/fuzz/driver_task.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace {

using namespace pegasus;
using fuzz::require;

constexpr unsigned max_steps = 128;
constexpr fuzz::Foreign foreign{.handle = 77, .address = 0x7200'0000'0000};

// What a worker asks before it serves a guest.
void begin_worker(fuzz::LyingDriver& driver) {
  std::array<std::uint8_t, 16> uuid{};
  uuid.fill(1);
  if (auto const profile = cuda::profile_of(driver.table(), 0)) (void)profile->name.size();
  auto const ordinal = cuda::ordinal_of(driver.table(), uuid);
  require(!ordinal || *ordinal >= 0);
}

void serve(fuzz::DriverTask& task, fuzz::Input& input) {
  fuzz::DeviceGuest guest(task, input, foreign);
  for (unsigned step = 0; step < max_steps && !input.empty(); ++step) {
    if (step % 16 == 15) task.overwrite_code(input.take<std::uint16_t>(), input.take_bytes(8));
    guest.step();
  }
}

} // namespace

// The linker gives these to the worker in place of the clock and of sleeping (--wrap), so that an input does the same
// each time.
std::chrono::steady_clock::time_point virtual_now() __asm__("__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
std::chrono::steady_clock::time_point virtual_now() {
  return std::chrono::steady_clock::time_point(fuzz::lying_driver_exists() ? fuzz::lying().now()
                                                                           : device::Nanos{0});
}
extern "C" int __wrap_nanosleep(timespec const* time, timespec*);
extern "C" int __wrap_nanosleep(timespec const* time, timespec*) {
  if (fuzz::lying_driver_exists()) fuzz::lying().sleep(device::Nanos(time->tv_nsec));
  return 0;
}

// The worker's messages to the operator would hide the fuzzer's messages.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  stderr = std::fopen("/dev/null", "w");
  return stderr == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  std::uint64_t const share = (std::uint64_t{input.take<std::uint8_t>()} + 1) << 14;
  auto const choices = input.take<std::uint8_t>();
  auto const lies = input.take<std::uint8_t>();
  fuzz::LyingDriver driver{fuzz::Input(input.take_bytes(lies))};
  if (choices / 16 % 4 == 3) begin_worker(driver);
  try {
    fuzz::DriverTask task(driver, share, choices);
    if (choices / 64 == 3) (void)cuda::try_compiler(driver.table());
    serve(task, input);
  } catch (fuzz::NoContext const&) { // the worker has ended
  } catch (fuzz::TooLong const&) {   // it was killed
  }
  require(!driver.have_context && driver.contexts.empty());
  return 0;
}
