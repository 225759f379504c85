// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/layout.h"

#include "domA/device/software/exec/compile/value_types.h"
#include "domA/device/software/exec/device_limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::software {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

// The variable's offset. If it no longer fits: 0, and an error.
std::uint32_t Layout::place(ptx::Variable const& v, Diagnostics& errors) {
  std::uint64_t const align = std::clamp(v.align, 1u, 16u); // frames start at multiples of 16
  frame_bytes_ = round_up(frame_bytes_, align);
  if (v.bytes > max_local_per_thread || frame_bytes_ + v.bytes > max_local_per_thread) {
    errors.at(v.line);
    errors.invalid(
        fmt::format("'{}' takes the thread's local memory beyond {} bytes", v.name, max_local_per_thread));
    return 0;
  }
  auto const offset = static_cast<std::uint32_t>(frame_bytes_);
  frame_offset_.emplace(&v, offset);
  frame_bytes_ += v.bytes;
  return offset;
}

Passing Layout::pass(ptx::Variable const& v, VirtualRegisters& registers, Diagnostics& errors) {
  if (v.space != ptx::Space::reg) return {place(v, errors), static_cast<std::uint32_t>(v.bytes), false};
  std::uint32_t const r = registers.declared(v.reg);
  if (r == 0 || !passes_in_register(width_of(v.type))) {
    errors.fail(device::Status::not_supported,
                fmt::format("a parameter of type {} in a register", name_of(v.type)));
    return {};
  }
  registers.pin(r);
  return {r, width_of(v.type), true};
}

void Layout::lay_out_entry_parameters() {
  std::uint64_t at = 0;
  for (ptx::Variable const& v : function_.parameters) {
    at = round_up(at, std::max(v.align, 1u));
    parameter_offset_.emplace(&v, static_cast<std::uint32_t>(at));
    at += v.bytes;
  }
}

void Layout::lay_out(DraftFunction& draft, VirtualRegisters& registers, Diagnostics& errors) {
  if (function_.entry) {
    lay_out_entry_parameters();
  } else {
    for (ptx::Variable const& v : function_.returns)
      draft.returns.push_back(pass(v, registers, errors));
    for (ptx::Variable const& v : function_.parameters)
      draft.parameters.push_back(pass(v, registers, errors));
  }
  for (ptx::Variable const& v : function_.variables)
    if (v.space == ptx::Space::local || v.space == ptx::Space::param) place(v, errors);
  draft.local_bytes = static_cast<std::uint32_t>(round_up(frame_bytes_, 16));
}

Layout::Place Layout::place_of(ptx::Variable const& v) const {
  using Kind = Place::Kind;
  if (auto const local = frame_offset_.find(&v); local != frame_offset_.end())
    return {Kind::frame, local->second};
  if (auto const p = parameter_offset_.find(&v); p != parameter_offset_.end())
    return {Kind::kernel_parameter, p->second};
  if (v.space == ptx::Space::shared) { // unknown size: dynamic shared memory, behind all other variables
    auto const placed = build_.reach.shared.find(&v);
    return {Kind::shared,
            placed != build_.reach.shared.end() ? placed->second : build_.reach.dynamic_shared_offset};
  }
  if (Address const placed = build_.linked.address(&v); placed != 0) return {Kind::global, placed};
  return {};
}

Layout::Place Layout::find(std::string_view name) const {
  Symbol const s = scope_.find(name);
  if (s.function != nullptr) {
    Address const at = build_.linked.address(s.function);
    return at != 0 ? Place{Place::Kind::function, at} : Place{};
  }
  return s.variable != nullptr ? place_of(*s.variable) : Place{};
}

std::optional<Passing> Layout::in_frame(std::string_view name) const {
  Symbol const s = scope_.find(name);
  auto const at = frame_offset_.find(s.variable);
  if (s.variable == nullptr || at == frame_offset_.end()) return std::nullopt;
  return Passing{at->second, static_cast<std::uint32_t>(s.variable->bytes), false};
}

} // namespace pegasus::software
