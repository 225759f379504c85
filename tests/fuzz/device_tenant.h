// SPDX-License-Identifier: Apache-2.0
// A task on the software accelerator, set up as in its worker: the real call handler over the real context,
// with a slot at the engine and in the quotas. It answers any request as the protocol says, and it holds the
// memory that it is charged for.
#pragma once

#include "base/zeroed_memory.h"
#include "domA/device/memory/quota_books.h"
#include "domA/device/shared/engine_admission.h"
#include "domA/device/software/context.h"
#include "domA/gate/pages.h"
#include "tests/fuzz/guest_task.h"

#include <array>
#include <memory>
#include <span>

namespace pegasus::fuzz {

// What the tenants share: the engine and memory. Only one Accelerator may exist at a time.
class Accelerator {
public:
  static constexpr std::uint32_t tenants = 2;                             // each in a separate domain
  explicit Accelerator(std::array<std::uint64_t, tenants> const& shares); // in bytes
  ~Accelerator();
  Accelerator(Accelerator const&) = delete;
  Accelerator& operator=(Accelerator const&) = delete;

  [[nodiscard]] shared::EngineAdmission const& engine() const { return engine_; }
  [[nodiscard]] static memory::Quota quota(std::uint32_t slot);
  [[nodiscard]] std::uint64_t charged(std::uint32_t slot) const;
  [[nodiscard]] std::uint64_t charged() const { return books_.used_bytes(); }

private:
  shared::EngineAdmission engine_;
  memory::QuotaBooks books_;
};

class Tenant final : public GuestTask {
public:
  // In the domain that belongs to the slot. Sanitizers check the lane loops of the baseline only.
  Tenant(Accelerator& accelerator, std::uint32_t slot, software::Isa isa);

  avcpu::CallResult call(pegasus_request const& request, std::span<std::byte> data,
                         Gate const& gate) override;
  [[nodiscard]] bool has_honest_device() const override { return true; }

  // Checks that the context holds the memory that it is charged for. Only between calls.
  void check_charge() const;

private:
  static std::unique_ptr<device::Context> make_context(void* tenant);
  [[nodiscard]] bool is_sound() const; // false after an error that ends all CUDA of the task

  Accelerator& accelerator_;
  std::uint32_t slot_;
  software::Isa isa_;
  shared::EngineClient engine_client_;
  gate::UsagePage usage_{};
  base::ZeroedMemory host_window_{32 * device::HostWindow::granule};
  avcpu::CallHandler handler_;
};

} // namespace pegasus::fuzz
