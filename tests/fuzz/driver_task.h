// SPDX-License-Identifier: Apache-2.0
// A guest's task on a GPU whose driver lies: the call handler over domA/device/cuda, as in a worker.
#pragma once

#include "domA/device/cuda/cuda_device.h"
#include "domA/device/memory/quota.h"
#include "tests/fuzz/guest_task.h"
#include "tests/fuzz/lying_driver.h"

#include <array>
#include <atomic>
#include <memory>

namespace pegasus::fuzz {

// Thrown where a worker ends because it gets no context.
struct NoContext {};

class DriverTask final : public GuestTask {
public:
  // `bytes`: the domain's share of the device's memory. `choices`: of the worker's options.
  DriverTask(LyingDriver& driver, std::uint64_t bytes, std::uint8_t choices);
  ~DriverTask() override;
  DriverTask(DriverTask const&) = delete;
  DriverTask& operator=(DriverTask const&) = delete;

  avcpu::CallResult call(pegasus_request const& request, std::span<std::byte> data,
                         Gate const& gate) override;
  [[nodiscard]] bool has_honest_device() const override { return false; }
  // Another worker of the domain overwrites a part of the code that they share.
  void overwrite_code(std::size_t at, std::span<std::byte const> bytes);

private:
  static std::unique_ptr<device::Context> make_context(void* task);
  void check(pegasus_request const& request, avcpu::CallResult const& answer);
  void check_charge() const;
  [[nodiscard]] static std::uint64_t charged();

  LyingDriver& driver_;
  memory::Quota share_;
  std::atomic<std::uint64_t> executing_since_{0};
  std::atomic<std::uint32_t> pageable_{0};
  std::array<std::byte, 64> call_buffer_{}; // that is pinned
  alignas(4096) std::array<std::byte, 4096> code_{};
  cuda::Options options_;
  std::unique_ptr<avcpu::CallHandler> handler_;
};

} // namespace pegasus::fuzz
