// SPDX-License-Identifier: Apache-2.0
// The device's work: copies, fills and launches. Copies within the device, fills and kernels take the engine;
// a copy to or from the host is the worker's own CPU time, as a GPU has copy engines beside the one that runs
// kernels.
#include "domA/device/software/context.h"

#include "domA/device/software/engine_turn.h"
#include "domA/device/software/launch_check.h"
#include "domA/device/software/module.h"
#include "domA/device/software/rect_check.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace pegasus::software {
namespace {

// The errors after which CUDA says that the process must be terminated to go on (cuda.h, CUresult).
bool is_sticky(device::Status status) {
  using device::Status;
  switch (status) {
  case Status::illegal_address:
  case Status::launch_timeout:
  case Status::assert_failed:
  case Status::illegal_instruction:
  case Status::misaligned_address:
  case Status::invalid_address_space:
  case Status::invalid_pc:
  case Status::launch_failed:
    return true;
  default:
    return false;
  }
}

// Repeats the first `element_bytes` bytes of the row over all of it. Doubling keeps the number of copies
// logarithmic.
void repeat(std::byte* row, std::uint64_t row_bytes, std::uint64_t element_bytes) {
  for (std::uint64_t done = element_bytes; done < row_bytes;) {
    const std::uint64_t more = std::min(done, row_bytes - done);
    std::memcpy(row + done, row, more);
    done += more;
  }
}

void fill_rows(HostRect const& rect, std::uint32_t value, std::uint32_t element_bytes) {
  if (element_bytes == 1) {
    for (std::uint64_t i = 0; i < rect.rows; ++i)
      std::memset(rect.row(i), static_cast<int>(value & 0xff), rect.row_bytes);
    return;
  }
  for (std::uint64_t i = 0; i < rect.rows; ++i) {
    for (std::uint32_t b = 0; b < element_bytes; ++b)
      rect.row(i)[b] = static_cast<std::byte>(value >> (8 * b));
    repeat(rect.row(i), rect.row_bytes, element_bytes);
  }
}

} // namespace

device::Status SoftwareContext::copy_to_device(device::Stream* stream, device::Rect const& target,
                                               std::span<const std::byte> source) {
  if (const Status status = check(stream); status != Status::success) return status;
  const auto rect = host_rect(memory_, target);
  if (!rect || rect->packed_bytes() != source.size()) return Status::invalid_value;
  for (std::uint64_t i = 0; i < rect->rows; ++i)
    std::memcpy(rect->row(i), source.data() + i * rect->row_bytes, rect->row_bytes);
  return Status::success;
}

device::Status SoftwareContext::copy_from_device(device::Stream* stream, std::span<std::byte> target,
                                                 device::Rect const& source) {
  if (const Status status = check(stream); status != Status::success) return status;
  const auto rect = host_rect(memory_, source);
  if (!rect || rect->packed_bytes() != target.size()) return Status::invalid_value;
  for (std::uint64_t i = 0; i < rect->rows; ++i)
    std::memcpy(target.data() + i * rect->row_bytes, rect->row(i), rect->row_bytes);
  return Status::success;
}

device::Status SoftwareContext::copy_device(device::Stream* stream, device::Rect const& target,
                                            device::Address source, std::uint64_t source_pitch) {
  if (const Status status = check(stream); status != Status::success) return status;
  const auto to = host_rect(memory_, target);
  const auto from = host_rect(memory_, {source, source_pitch, target.row_bytes, target.rows});
  if (!to || !from) return Status::invalid_value;
  if (to->empty()) return Status::success;
  const EngineTurn turn(options_.engine, options_.executing_since, busy_);
  for (std::uint64_t i = 0; i < to->rows; ++i)
    std::memmove(to->row(i), from->row(i), to->row_bytes);
  return Status::success;
}

device::Status SoftwareContext::fill(device::Stream* stream, device::Rect const& target, std::uint32_t value,
                                     std::uint32_t element_bytes) {
  if (const Status status = check(stream); status != Status::success) return status;
  const auto rect = host_rect(memory_, target);
  if (!rect) return Status::invalid_value;
  if (rect->empty()) return Status::success;
  const EngineTurn turn(options_.engine, options_.executing_since, busy_);
  fill_rows(*rect, value, element_bytes);
  return Status::success;
}

// The device heap is made when the first kernel runs: until then its size may be set. The default size is
// CUDA's and few programs use it, so a domain with little memory left gets a smaller one; a size the program
// set is kept to.
device::Status SoftwareContext::ready_heap() {
  constexpr std::uint64_t least = 4096;
  for (Limits limits = limits_; heap_ == nullptr; limits.malloc_heap_bytes /= 2) {
    heap_ = std::make_unique<DeviceHeap>(memory_, limits.malloc_heap_bytes);
    if (settle()) {
      limits_ = limits;
      break;
    }
    heap_.reset();
    (void)settle();
    if (heap_size_set_ || limits.malloc_heap_bytes / 2 < least) {
      diagnose("a kernel was not launched: the device heap does not fit the domain's share of device memory; "
               "set a smaller one with cudaDeviceSetLimit(cudaLimitMallocHeapSize)");
      return Status::out_of_memory;
    }
  }
  return Status::success;
}

device::Status SoftwareContext::launch(device::Stream* stream, device::Function& function,
                                       device::Launch const& launch, device::Turn const& turn) {
  if (const Status status = check(stream); status != Status::success) return status;
  auto* const own = dynamic_cast<SoftwareFunction*>(&function);
  if (own == nullptr || own->context() != this) return Status::invalid_handle;
  if (const Status status = check_launch(own->info(), launch); status != Status::success) return status;
  if (const Status status = ready_heap(); status != Status::success) return status;

  Limits limits = limits_; // one byte more than there is room for, so that a loss is seen
  limits.printf_bytes -=
      std::min<std::uint64_t>(limits.printf_bytes, output_.pending_bytes(OutputBuffer::Kind::printf_text));
  ++limits.printf_bytes;
  run_ = std::make_unique<Run>(own->kernel(), launch, memory_, *heap_, limits);
  return resume(turn);
}

device::Status SoftwareContext::resume(device::Turn const& turn) {
  if (run_ == nullptr) return Status::illegal_state;
  try {
    const EngineTurn engine(options_.engine, options_.executing_since, busy_);
    if (!run_->go_on(turn)) return Status::not_ready;
  } catch (std::bad_alloc const&) { // the worker's own memory is limited too
    run_.reset();
    return finish_launch(
        {Status::launch_failed, "a kernel was stopped: the worker's memory limit is exhausted"}, {});
  }
  const std::unique_ptr<Run> done = std::move(run_);
  return finish_launch(done->outcome(), done->text());
}

// A fault is known already, but belongs to the calls that follow; a launch that could not start is this
// call's.
device::Status SoftwareContext::finish_launch(Outcome const& outcome, std::string_view printed) {
  output_.add(OutputBuffer::Kind::printf_text, printed, limits_.printf_bytes);
  if (!outcome.diagnostic.empty()) diagnose(outcome.diagnostic);
  if (is_sticky(outcome.status)) state_ = outcome.status;
  if (!settle()) { // what the kernel took with malloc cannot be taken back from it
    diagnose("a kernel's malloc took more than the domain's share of device memory");
    state_ = Status::launch_failed;
  }
  if (state_ == Status::success) return outcome.status;
  return Status::success;
}

} // namespace pegasus::software
