// SPDX-License-Identifier: Apache-2.0
// The functions of the driver's library that nvcc's code calls: vprintf, malloc, free, __assertfail. Source:
// CUDA C++ Programming Guide, "Formatted Output", "Dynamic Global Memory Allocation", "Assertion".
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/library/format.h"
#include "domA/device/software/exec/machine/launch_state.h"

#include <bit>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

constexpr std::uint64_t max_assertion_text = 4096; // of each text of an assertion

template <class T> T argument(Warp& w, Op const& op, std::uint32_t lane, std::size_t i) {
  CallSite const& site = w.frame->code->calls[op.index];
  T value{};
  read_local(w, lane, w.frame->local_base + site.arguments[i].offset, &value, sizeof value);
  return value;
}

template <class T> void give(Warp& w, Op const& op, std::uint32_t lane, T value) {
  CallSite const& site = w.frame->code->calls[op.index];
  if (!site.returns.empty())
    write_local(w, lane, w.frame->local_base + site.returns[0].offset, &value,
                std::min<std::uint32_t>(sizeof value, site.returns[0].bytes));
}

void print(LaunchState& launch, std::string const& text) {
  std::uint64_t const room = launch.limits->printf_bytes > launch.text->size()
                                 ? launch.limits->printf_bytes - launch.text->size()
                                 : 0;
  launch.text->append(text, 0, static_cast<std::size_t>(std::min<std::uint64_t>(room, text.size())));
}

std::string device_string(Warp& w, std::uint32_t lane, std::uint64_t at) {
  std::string text;
  char c = 0;
  while (text.size() < max_assertion_text && read_generic(w, lane, at + text.size(), &c, 1) && c != '\0')
    text += c;
  return text;
}

} // namespace

Op const* op_vprintf(Warp& w, Op const& op) {
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    auto const format = argument<std::uint64_t>(w, op, lane, 0);
    auto const values = argument<std::uint64_t>(w, op, lane, 1);
    auto const read = [&w, lane](std::uint64_t at, void* to, std::uint64_t bytes) {
      return read_generic(w, lane, at, to, bytes);
    };
    Formatted const made = format_device_text(format, values, read);
    if (made.bad_address != 0)
      return raise(w, op, lane, device::Status::illegal_address,
                   fmt::format("printf reads {:#x}, which is not memory of this thread", made.bad_address));
    print(*w.block->launch, made.text);
    give(w, op, lane, static_cast<std::uint32_t>(made.arguments));
  }
  return &op + 1;
}

Op const* op_malloc(Warp& w, Op const& op) {
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    give(w, op, lane, w.block->launch->heap->allocate(argument<std::uint64_t>(w, op, lane, 0)));
  }
  return &op + 1;
}

Op const* op_free(Warp& w, Op const& op) {
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    auto const address = argument<std::uint64_t>(w, op, lane, 0);
    if (address != 0 && !w.block->launch->heap->free(address))
      return raise(w, op, lane, device::Status::launch_failed,
                   fmt::format("free({:#x}): not the start of a live block of the device heap", address));
  }
  return &op + 1;
}

// Every failing thread of the warp prints a line; then the launch ends.
Op const* op_assertfail(Warp& w, Op const& op) {
  auto const& block = w.block->index;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    auto const thread = thread_index(w, lane);
    print(*w.block->launch,
          fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                      device_string(w, lane, argument<std::uint64_t>(w, op, lane, 1)),
                      argument<std::uint32_t>(w, op, lane, 2),
                      device_string(w, lane, argument<std::uint64_t>(w, op, lane, 3)), block[0], block[1],
                      block[2], thread[0], thread[1], thread[2],
                      device_string(w, lane, argument<std::uint64_t>(w, op, lane, 0))));
  }
  auto const lane = static_cast<std::uint32_t>(std::countr_zero(w.active));
  return raise(
      w, op, lane, device::Status::assert_failed,
      fmt::format("assertion `{}` failed", device_string(w, lane, argument<std::uint64_t>(w, op, lane, 0))));
}

} // namespace pegasus::software
