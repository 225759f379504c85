// SPDX-License-Identifier: Apache-2.0
// A guest's task, set up as in its worker: the real call handler over a real context. It answers any request as
// the protocol says.
#pragma once

#include "domA/avcpu/call_handler.h"

#include <cstring>
#include <span>

namespace pegasus::fuzz {

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
  [[nodiscard]] bool interrupting() const { return interrupting_; }

private:
  static constexpr unsigned max_time_reads = 96; // blocks, pauses of a block, and parts of a graph
  bool interrupting_;
  mutable unsigned time_reads_ = 0;
};

class GuestTask {
public:
  virtual ~GuestTask() = default;

  // Executes the request to its end, however often it is interrupted.
  virtual avcpu::CallResult call(pegasus_request const& request, std::span<std::byte> data,
                                 Gate const& gate) = 0;
  // New memory is zero, and its calls succeed if they should.
  [[nodiscard]] virtual bool has_honest_device() const = 0;

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

  // Returns true if the guest waits for the reply.
  [[nodiscard]] static bool is_answered_at_once(std::uint16_t call);

private:
  avcpu::CallResult call(std::uint16_t number, std::span<std::byte const> body, std::span<std::byte> data);
};

} // namespace pegasus::fuzz
