// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/registers.h"

#include "domA/device/software/exec/compile/live_ranges.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <queue>

namespace pegasus::software {

namespace {

// 32 warps of this size still fit easily in a host's memory.
constexpr std::uint32_t max_frame_bytes = 4u << 20;

// One class of registers of equal width.
struct Pool {
  std::uint32_t slots = 0;
  std::vector<std::uint32_t> idle;
  std::uint32_t take() {
    if (idle.empty()) return slots++;
    std::uint32_t const slot = idle.back();
    idle.pop_back();
    return slot;
  }
};

std::size_t class_of(std::uint32_t bytes) { return bytes == 0 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }
std::uint32_t slot_bytes(std::size_t c) {
  constexpr std::uint32_t bytes[] = {4, 64, 128, 256};
  return bytes[c];
}

class Allocator {
public:
  explicit Allocator(DraftFunction const& draft) : draft_(draft), slot_(draft.registers.size()) {}
  void run();
  // The offset of each virtual register; 0 for register 0.
  std::vector<std::uint32_t> offsets(std::uint64_t& frame_bytes) const;
  std::uint32_t peak_words() const { return peak_words_; }

private:
  DraftFunction const& draft_;
  std::vector<std::uint32_t> slot_;
  Pool pools_[4];
  std::uint32_t peak_words_ = 0;
};

void Allocator::run() {
  std::vector<LiveRange> const ranges = live_ranges(draft_);
  std::vector<std::uint32_t> by_start;
  for (std::uint32_t r = 1; r < ranges.size(); ++r) {
    if (draft_.registers[r].constant || draft_.registers[r].pinned)
      slot_[r] = pools_[class_of(draft_.registers[r].bytes)].take();
    else if (ranges[r].start <= ranges[r].end)
      by_start.push_back(r);
  }
  std::sort(by_start.begin(), by_start.end(),
            [&](std::uint32_t x, std::uint32_t y) { return ranges[x].start < ranges[y].start; });
  auto const ends_later = [&](std::uint32_t x, std::uint32_t y) { return ranges[x].end > ranges[y].end; };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(ends_later)> active(ends_later);
  std::uint32_t words = 0;
  for (std::uint32_t const r : by_start) {
    while (!active.empty() && ranges[active.top()].end < ranges[r].start) {
      std::uint32_t const bytes = draft_.registers[active.top()].bytes;
      pools_[class_of(bytes)].idle.push_back(slot_[active.top()]);
      words -= (bytes + 3) / 4;
      active.pop();
    }
    slot_[r] = pools_[class_of(draft_.registers[r].bytes)].take();
    words += (draft_.registers[r].bytes + 3u) / 4;
    peak_words_ = std::max(peak_words_, words);
    active.push(r);
  }
}

// The first 64 bytes are unused: offset 0 means "none".
std::vector<std::uint32_t> Allocator::offsets(std::uint64_t& frame_bytes) const {
  std::uint64_t base[4];
  frame_bytes = 64;
  for (std::size_t c = 0; c < 4; ++c) {
    base[c] = frame_bytes;
    frame_bytes += std::uint64_t{pools_[c].slots} * slot_bytes(c);
    frame_bytes = (frame_bytes + 63) / 64 * 64;
  }
  std::vector<std::uint32_t> result(slot_.size());
  for (std::size_t r = 1; r < slot_.size(); ++r) {
    std::size_t const c = class_of(draft_.registers[r].bytes);
    result[r] = static_cast<std::uint32_t>(base[c] + std::uint64_t{slot_[r]} * slot_bytes(c));
  }
  return result;
}

void place_operands(DraftFunction& draft, std::vector<std::uint32_t> const& offset, FunctionCode& code) {
  std::vector<std::size_t> extra_at;
  for (Draft& d : draft.ops) {
    for (std::uint32_t* r : {&d.op.guard, &d.op.d, &d.op.d2, &d.op.a, &d.op.b, &d.op.c, &d.op.e})
      *r = offset[*r];
    extra_at.push_back(code.extra.size());
    for (std::uint32_t const r : d.extra)
      code.extra.push_back(offset[r]);
    code.ops.push_back(d.op);
  }
  auto const start_of = [&](std::uint32_t block) { return code.ops.data() + draft.block_start[block]; };
  for (std::size_t i = 0; i < code.ops.size(); ++i) {
    Draft const& d = draft.ops[i];
    Op& op = code.ops[i];
    if (!d.extra.empty()) op.extra = code.extra.data() + extra_at[i];
    if (d.target_block != no_block) op.target = start_of(d.target_block);
    if (d.join_block != no_block) op.join = start_of(d.join_block);
  }
  for (auto const& blocks : draft.jump_blocks) {
    Jump jump;
    for (std::uint32_t const b : blocks)
      jump.targets.push_back(start_of(b));
    code.jumps.push_back(std::move(jump));
  }
}

// A check independent of lowering: the executor copies exactly the sizes and places recorded here.
bool is_sound(DraftFunction const& draft) {
  std::size_t const registers = draft.registers.size();
  auto const known = [registers](std::uint32_t r) { return r < registers; };
  auto const passes = [&](Passing const& p) {
    return !p.in_register || (p.offset != 0 && known(p.offset) && passes_in_register(p.bytes) &&
                              p.bytes == draft.registers[p.offset].bytes);
  };
  auto const all_pass = [&](std::vector<Passing> const& list) { return std::ranges::all_of(list, passes); };
  return std::ranges::all_of(draft.registers, [](auto const& r) { return r.bytes <= max_register_bytes; }) &&
         std::ranges::all_of(draft.ops,
                             [&](Draft const& d) {
                               return std::ranges::all_of(std::array{d.op.guard, d.op.d, d.op.d2, d.op.a,
                                                                     d.op.b, d.op.c, d.op.e},
                                                          known) &&
                                      std::ranges::all_of(d.extra, known);
                             }) &&
         all_pass(draft.parameters) && all_pass(draft.returns) &&
         std::ranges::all_of(draft.calls, [&](CallSite const& site) {
           return all_pass(site.arguments) && all_pass(site.returns);
         });
}

void place_passing(std::vector<Passing>& list, std::vector<std::uint32_t> const& offset) {
  for (Passing& p : list)
    if (p.in_register) p.offset = offset[p.offset];
}

} // namespace

std::optional<BuildError> finish(DraftFunction& draft, FunctionCode& code) {
  if (!is_sound(draft))
    return BuildError{device::Status::invalid_ptx,
                      fmt::format("'{}' uses registers that it does not have", code.name)};
  Allocator allocator(draft);
  allocator.run();
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> const offset = allocator.offsets(bytes);
  if (bytes > max_frame_bytes)
    return BuildError{device::Status::not_supported,
                      fmt::format("'{}' keeps {} registers at a time, more than the software accelerator has",
                                  code.name, bytes / 128)};
  code.frame_bytes = static_cast<std::uint32_t>(bytes);
  code.registers = allocator.peak_words();
  code.local_bytes = draft.local_bytes;
  place_operands(draft, offset, code);
  for (std::size_t r = 1; r < draft.registers.size(); ++r)
    if (VirtualRegister const& v = draft.registers[r]; v.constant)
      code.constants.push_back({offset[r], v.bytes, v.bits});
  code.calls = std::move(draft.calls);
  for (CallSite& site : code.calls) {
    place_passing(site.arguments, offset);
    place_passing(site.returns, offset);
  }
  code.parameters = std::move(draft.parameters);
  code.returns = std::move(draft.returns);
  place_passing(code.parameters, offset);
  place_passing(code.returns, offset);
  return {};
}

} // namespace pegasus::software
