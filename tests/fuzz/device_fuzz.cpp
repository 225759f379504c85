// SPDX-License-Identifier: Apache-2.0
// The real software accelerator executes sequences of requests. A program could have sent most of them,
// with handles that it was given before. Meanwhile an honest task on the same accelerator must always
// compute the right result.
//
// Input: the hostile domain's memory (8 bits, in units of 16 KiB; the low bits also choose the lane loops), then
// steps (device_guest.h).
#include "tests/fuzz/device_guest.h"
#include "tests/fuzz/device_images.h"
#include "tests/fuzz/device_tenant.h"
#include "tests/fuzz/require.h"

#include <cstring>
#include <memory>

namespace {

using namespace pegasus;
using device::Status;
using fuzz::require;

constexpr unsigned max_steps = 128;
constexpr unsigned steps_between = 8; // between two computations of the honest task
constexpr std::uint32_t hostile_slot = 0, honest_slot = 1;
constexpr std::uint64_t honest_share = 1 << 20;
constexpr std::uint32_t threads = 40;

// Executes its kernel on its buffer.
class HonestTask {
public:
  explicit HonestTask(fuzz::Accelerator& accelerator)
      : tenant_(accelerator, honest_slot, software::Isa::best) {
    fuzz::DeviceImage image = fuzz::image_of(fuzz::known_kernels());
    pegasus_module_begin_reply begun{};
    must(tenant_.ask(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{image.bytes.size(), 1, 0},
                     begun));
    pegasus_module_data_request const data{};
    tenant_.post(PEGASUS_CALL_MODULE_DATA, data, image.bytes);
    pegasus_module_load_reply module{};
    must(tenant_.ask(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{}, module));
    std::byte name[64]{};
    std::memcpy(name, "index", 5);
    pegasus_module_function_reply function{};
    must(tenant_.ask(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{module.module, 5, 0},
                     function, name));
    function_ = function.function;
    pegasus_memory_allocate_reply memory{};
    must(tenant_.ask(PEGASUS_CALL_MEMORY_ALLOCATE,
                     pegasus_memory_allocate_request{4 * threads, PEGASUS_MEMORY_DEVICE, 0}, memory));
    buffer_ = memory.address;
  }

  void compute(std::uint32_t base) {
    struct {
      pegasus_launch_request request{};
      std::uint64_t buffer = 0;
      std::uint32_t base = 0, unused = 0;
    } launch;
    launch.request.function = function_;
    launch.request.grid[0] = 2;
    launch.request.grid[1] = launch.request.grid[2] = 1;
    launch.request.block[0] = threads / 2;
    launch.request.block[1] = launch.request.block[2] = 1;
    launch.request.parameter_bytes = 12;
    launch.buffer = buffer_;
    launch.base = base;
    tenant_.post(PEGASUS_CALL_LAUNCH, launch);
    std::uint32_t words[threads]{};
    pegasus_copy_from_device_reply nothing{};
    must(tenant_.ask(PEGASUS_CALL_COPY_FROM_DEVICE,
                     pegasus_copy_from_device_request{0, buffer_, 0, sizeof words, 1}, nothing,
                     std::as_writable_bytes(std::span(words))));
    for (std::uint32_t i = 0; i < threads; ++i)
      require(words[i] == base + 3 * i);
    tenant_.check_charge();
  }

  [[nodiscard]] fuzz::Foreign possessions() const { return {function_, buffer_}; }

private:
  static void must(Status status) { require(status == Status::success); }

  fuzz::Tenant tenant_;
  std::uint64_t function_ = 0, buffer_ = 0;
};

void run_tasks(fuzz::Accelerator& accelerator, software::Isa isa, fuzz::Input input) {
  HonestTask honest(accelerator);
  honest.compute(0);
  fuzz::Tenant tenant(accelerator, hostile_slot, isa);
  fuzz::DeviceGuest guest(tenant, input, honest.possessions());
  for (std::uint32_t step = 1; step < max_steps && !input.empty(); ++step) {
    try {
      guest.step();
    } catch (fuzz::TooLong const&) {
      break; // the worker is killed: what it holds is checked after its end
    }
    tenant.check_charge();
    if (step % steps_between == 0) honest.compute(step);
  }
  honest.compute(~0u);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  auto const choice = input.take<std::uint8_t>();
  std::uint64_t const share = (std::uint64_t{choice} + 1) << 14;
  auto const isa = choice % 8 == 7 ? software::Isa::best : software::Isa::baseline;
  auto const accelerator = std::make_unique<fuzz::Accelerator>(std::array{share, honest_share});
  run_tasks(*accelerator, isa, input);
  require(accelerator->charged() == 0);
  return 0;
}
