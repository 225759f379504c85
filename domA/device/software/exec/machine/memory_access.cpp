// SPDX-License-Identifier: Apache-2.0
// The slow paths of memory access: one lane at a time, through any window, with diagnostics for faults.
#include "domA/device/software/exec/machine/memory_access.h"

#include "domA/device/software/exec/machine/block.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/memory/windows.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

bool in_window(std::uint64_t at, std::uint64_t window) { return at - window < window_bytes; }

char const* name_of(Access access) {
  switch (access) {
  case Access::load:
    return "load";
  case Access::store:
    return "store";
  default:
    return "atomic";
  }
}

// The location of an address: host base for a flat space, or the lane's local memory.
struct Place {
  std::byte* flat = nullptr;
  bool local = false;
  std::uint32_t local_at = 0;
  bool shared = false;
  bool in_gap = false;      // behind an allocation
  std::uint32_t inside = 0; // bytes of such an access that are still inside
};

// Converts an address of the op's window to a generic address.
std::uint64_t generic(Window window, std::uint64_t at) {
  switch (window) {
  case Window::shared:
    return shared_window + at;
  case Window::local:
  case Window::frame:
    return local_window + at;
  default:
    return at;
  }
}

// What an access through `window` reaches with this generic address, be it there or not: an access to one state
// space never reaches another, also with an address that wraps around.
Window space_of(Window window, std::uint64_t at) {
  if (window == Window::frame) return Window::local;
  if (window != Window::generic) return window;
  if (in_window(at, shared_window)) return Window::shared;
  if (in_window(at, local_window)) return Window::local;
  if (in_window(at, param_window)) return Window::param;
  return Window::global;
}

// Whether the access reaches behind an allocation and is forgiven: then its place reads as what is inside, and zeros.
// Gaps are at least twice as wide, so the nearest allocation is that before.
constexpr std::uint64_t forgiven_bytes = Memory::granule / 2;

bool locate_in_gap(LaunchState& launch, std::uint64_t at, std::uint32_t bytes, Place& place) {
  if (!launch.limits->forgives_gaps || bytes > launch.gap.size()) return false;
  memory::Ranges const& ranges = launch.memory->ranges();
  device::Range range = ranges.containing(at);
  if (range.bytes == 0) range = ranges.nearest(at);
  std::uint64_t const end = range.base + range.bytes, first = std::max(at, end);
  if (range.bytes == 0 || at < range.base || first - at >= bytes) return false;
  if (first - end > forgiven_bytes || at + bytes - end > forgiven_bytes) return false;
  if (ranges.containing(first).bytes != 0 || ranges.containing(at + bytes - 1).bytes != 0) return false;
  launch.gap = {};
  place.flat = launch.gap.data();
  place.in_gap = true;
  place.inside = static_cast<std::uint32_t>(first - at);
  if (place.inside > 0) std::memcpy(place.flat, launch.memory->resolve(at, place.inside), place.inside);
  return true;
}

// Returns false if there is no such memory. `at` is a generic address.
bool locate(Warp const& w, Window window, std::uint64_t at, std::uint32_t bytes, bool write, Place& place) {
  Block const& block = *w.block;
  LaunchState& launch = *block.launch;
  auto const fits = [bytes](std::uint64_t offset, std::uint64_t size) {
    return offset < size && bytes <= size - offset;
  };
  switch (space_of(window, at)) {
  case Window::shared:
    place.flat = block.shared + (at - shared_window);
    place.shared = true;
    return fits(at - shared_window, block.shared_bytes);
  case Window::local:
    place.local = true;
    place.local_at = static_cast<std::uint32_t>(at - local_window);
    return fits(at - local_window, block.local_bytes);
  case Window::param:
    place.flat = const_cast<std::byte*>(launch.parameters.data()) + (at - param_window);
    return !write && fits(at - param_window, launch.kernel->info.parameter_bytes);
  default:
    place.flat = launch.memory->resolve(at, bytes);
    return place.flat != nullptr || locate_in_gap(launch, at, bytes, place);
  }
}

std::string describe_global(Memory const& memory, std::uint64_t at) {
  if (in_window(at, code_window)) return "the address is a function's";
  device::Range range = memory.ranges().containing(at);
  if (range.bytes != 0)
    return fmt::format("it runs past the end of the allocation [{:#x}, +{})", range.base, range.bytes);
  range = memory.ranges().nearest(at);
  if (range.bytes == 0) return "there is no allocation";
  if (at < range.base)
    return fmt::format("nearest allocation: [{:#x}, +{}), {} bytes above", range.base, range.bytes,
                       range.base - at);
  return fmt::format("nearest allocation: [{:#x}, +{}), {} bytes past its end", range.base, range.bytes,
                     at - (range.base + range.bytes));
}

std::string describe(Warp const& w, Window window, std::uint64_t at) {
  Block const& block = *w.block;
  switch (space_of(window, at)) {
  case Window::shared:
    return fmt::format("shared memory of the block is {} bytes; the access is at offset {}",
                       block.shared_bytes, at - shared_window);
  case Window::local:
    return fmt::format("local memory of the thread is {} bytes; the access is at offset {}",
                       block.local_bytes, at - local_window);
  case Window::param:
    return fmt::format("kernel parameters are {} bytes, read only; the access is at offset {}",
                       block.launch->kernel->info.parameter_bytes, at - param_window);
  default:
    return describe_global(*block.launch->memory, at);
  }
}

std::string what_is_wrong(Warp const& w, Op const& op, std::uint64_t at, std::uint32_t bytes, Access access) {
  return fmt::format("illegal {} of {} bytes at {:#x}: {}", name_of(access), bytes, at,
                     describe(w, op.window, at));
}

void fault(Warp& w, Op const& op, std::uint32_t lane, std::uint64_t at, std::uint32_t bytes, Access access) {
  if ((at & (bytes - 1)) != 0) {
    raise(w, op, lane, device::Status::misaligned_address,
          fmt::format("misaligned {} of {} bytes at {:#x}", name_of(access), bytes, at));
    return;
  }
  raise(w, op, lane, device::Status::illegal_address, what_is_wrong(w, op, at, bytes, access));
}

// One access of one lane, at a generic address. Returns false if a fault was raised.
bool place_of(Warp& w, Op const& op, std::uint32_t lane, std::uint64_t at, std::uint32_t bytes, Access access,
              Place& place) {
  if ((at & (bytes - 1)) != 0 || !locate(w, op.window, at, bytes, access != Access::load, place)) {
    fault(w, op, lane, at, bytes, access);
    return false;
  }
  std::string& forgiven = w.block->launch->outcome.forgiven;
  if (place.in_gap && forgiven.empty())
    forgiven = told_of(w, op, lane, what_is_wrong(w, op, at, bytes, access));
  return true;
}

std::byte* local_byte(Warp const& w, std::uint32_t lane, std::uint32_t at) {
  return w.local + std::size_t{at >> 2} * 128 + lane * 4 + (at & 3);
}

} // namespace

void read_local(Warp const& w, std::uint32_t lane, std::uint32_t at, void* to, std::uint32_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  while (bytes != 0) {
    std::uint32_t const n = std::min(bytes, 4 - (at & 3));
    std::memcpy(out, local_byte(w, lane, at), n);
    out += n, at += n, bytes -= n;
  }
}

void write_local(Warp& w, std::uint32_t lane, std::uint32_t at, void const* from, std::uint32_t bytes) {
  auto const* in = static_cast<std::byte const*>(from);
  while (bytes != 0) {
    std::uint32_t const n = std::min(bytes, 4 - (at & 3));
    std::memcpy(local_byte(w, lane, at), in, n);
    in += n, at += n, bytes -= n;
  }
}

bool remember(Warp& w, Op const& op, std::uint64_t lowest, std::uint64_t highest, std::uint32_t bytes,
              bool write) {
  Block& block = *w.block;
  LaunchState& launch = *block.launch;
  Seen seen;
  std::uint64_t const at = generic(op.window, lowest);
  std::uint64_t const shift = at - lowest; // from addresses of the space to generic ones
  Window const space = space_of(op.window, at);
  if (space == Window::shared) {
    seen = {shared_window - shift, shared_window - shift + block.shared_bytes,
            reinterpret_cast<std::uintptr_t>(block.shared) - (shared_window - shift), true};
  } else if (space == Window::param) {
    seen = {param_window, param_window + launch.kernel->info.parameter_bytes,
            reinterpret_cast<std::uintptr_t>(launch.parameters.data()) - param_window, false};
  } else {
    device::Range const range = launch.memory->ranges().containing(at);
    if (range.bytes == 0) return false;
    seen = {range.base, range.base + range.bytes, launch.memory->view(range.base), true};
  }
  if (highest < seen.lo || highest >= seen.top || bytes > seen.top - highest || lowest < seen.lo)
    return false;
  if (write && !seen.writable) return false;
  block.seen[op.index] = seen;
  return true;
}

std::uint64_t address_of(Warp const& w, Op const& op, std::uint32_t lane) {
  if (!op.has_base) return op.window == Window::frame ? w.frame->local_base + op.imm : op.imm;
  if (op.narrow_base) return static_cast<std::uint32_t>(w.reg<std::uint32_t>(op.a)[lane] + op.imm);
  return w.reg<std::uint64_t>(op.a)[lane] + op.imm;
}

bool slow_load(Warp& w, Op const& op, std::uint64_t const* at, std::uint32_t bytes, std::byte* stage) {
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Place place;
    if (!place_of(w, op, lane, generic(op.window, at[lane]), bytes, Access::load, place)) return false;
    if (place.local)
      read_local(w, lane, place.local_at, stage + std::size_t{lane} * bytes, bytes);
    else
      std::memcpy(stage + std::size_t{lane} * bytes, place.flat, bytes);
  }
  return true;
}

bool slow_store(Warp& w, Op const& op, std::uint64_t const* at, std::uint32_t bytes, std::byte const* stage) {
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Place place;
    if (!place_of(w, op, lane, generic(op.window, at[lane]), bytes, Access::store, place)) return false;
    if (place.local)
      write_local(w, lane, place.local_at, stage + std::size_t{lane} * bytes, bytes);
    else if (!place.in_gap)
      std::memcpy(place.flat, stage + std::size_t{lane} * bytes, bytes);
    else if (place.inside > 0)
      std::memcpy(w.block->launch->memory->resolve(at[lane], place.inside), stage + std::size_t{lane} * bytes,
                  place.inside);
  }
  return true;
}

Op const* local_fault(Warp& w, Op const& op, std::uint64_t const* at, std::uint32_t bytes, bool write) {
  Access const access = write ? Access::store : Access::load;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Place place;
    if (!place_of(w, op, lane, generic(op.window, at[lane]), bytes, access, place)) return nullptr;
  }
  return nullptr;
}

std::byte* atomic_operand(Warp& w, Op const& op, std::uint32_t lane, std::uint64_t at, std::uint32_t bytes,
                          OperandIn& in) {
  auto const where = [&](bool shared) {
    if (shared) return OperandIn::shared;
    return w.block->launch->memory->is_host(at) ? OperandIn::host : OperandIn::device;
  };
  Seen const& seen = w.block->seen[op.index];
  if (at >= seen.lo && at < seen.top && bytes <= seen.top - at && seen.writable && (at & (bytes - 1)) == 0) {
    in = where(space_of(op.window, at) == Window::shared);
    return reinterpret_cast<std::byte*>(seen.base + at);
  }
  Place place;
  std::uint64_t const address = generic(op.window, at);
  if (!place_of(w, op, lane, address, bytes, Access::atomic, place)) return nullptr;
  if (place.local) {
    raise(w, op, lane, device::Status::invalid_address_space,
          fmt::format("atomic of {} bytes at {:#x}, which is local memory", bytes, address));
    return nullptr;
  }
  static_cast<void>(remember(w, op, at, at, bytes, true));
  in = where(place.shared);
  return place.flat;
}

bool read_generic(Warp& w, std::uint32_t lane, std::uint64_t at, void* to, std::uint64_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    Place place;
    if (!locate(w, Window::generic, at + i, 1, false, place)) return false;
    if (place.local)
      read_local(w, lane, place.local_at, out + i, 1);
    else
      out[i] = *place.flat;
  }
  return true;
}

} // namespace pegasus::software
