// SPDX-License-Identifier: Apache-2.0
// A task on the software accelerator, set up as in its worker: the real call handler over the real context,
// with a slot at the engine and in the quotas. It answers any request as the protocol says, and it holds the
// memory that it is charged for.
#pragma once

#include "domA/avcpu/call_handler.h"
#include "domA/device/shared/engine_admission.h"
#include "domA/device/shared/quota_books.h"
#include "domA/device/software/context.h"
#include "domA/gate/pages.h"

#include <array>
#include <cstring>
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
  [[nodiscard]] static shared::Quota quota(std::uint32_t slot);
  [[nodiscard]] std::uint64_t charged(std::uint32_t slot) const;
  [[nodiscard]] std::uint64_t charged() const { return books_.used_bytes(); }

private:
  shared::EngineAdmission engine_;
  shared::QuotaBooks books_;
};

// Thrown for a program that does not end. In production the worker is killed.
struct TooLong {};

// The gate: always open, or closed at every other reading of the time.
class Gate final : public device::TimeSlice {
public:
  explicit Gate(bool interrupting = false) : interrupting_(interrupting) {}
  bool over() const override {
    if (++time_reads_ > max_time_reads) throw TooLong();
    return interrupting_ && time_reads_ % 2 == 0;
  }

private:
  static constexpr unsigned max_time_reads = 96; // blocks, pauses of a block, and parts of a graph
  bool interrupting_;
  mutable unsigned time_reads_ = 0;
};

class Tenant {
public:
  // In the domain that belongs to the slot. Sanitizers check the lane loops of the baseline only.
  Tenant(Accelerator& accelerator, std::uint32_t slot, software::Isa isa);

  // Executes the request to its end, however often it is interrupted.
  avcpu::CallResult call(pegasus_request const& request, std::span<std::byte> data,
                         Gate const& gate = Gate());
  template <class Request, class Reply>
  device::Status ask(std::uint16_t number, Request const& request, Reply& reply,
                     std::span<std::byte> data = {}) {
    avcpu::CallResult const answer = call(number, std::as_bytes(std::span(&request, 1)), data);
    std::memcpy(&reply, answer.body, sizeof reply);
    return answer.status;
  }
  template <class Request>
  void post(std::uint16_t number, Request const& request, std::span<std::byte> data = {}) {
    (void)call(number, std::as_bytes(std::span(&request, 1)), data);
  }

  // Checks that the context holds the memory that it is charged for. Only between calls.
  void check_charge() const;

private:
  avcpu::CallResult call(std::uint16_t number, std::span<std::byte const> body, std::span<std::byte> data);
  static std::unique_ptr<device::Context> make_context(void* tenant);
  [[nodiscard]] bool is_sound() const; // false after an error that ends all CUDA of the task

  Accelerator& accelerator_;
  std::uint32_t slot_;
  software::Isa isa_;
  shared::EngineClient engine_client_;
  gate::UsagePage usage_{};
  avcpu::CallHandler handler_;
};

} // namespace pegasus::fuzz
