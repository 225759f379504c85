// SPDX-License-Identifier: Apache-2.0
// suld and sust: each active lane by itself, PTX ISA 9.7.11. Of an array with layers or faces, these are slices.
#include "domA/device/software/exec/machine/block.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/ops.h"
#include "domA/device/software/exec/texture/texel_reader.h"
#include "domA/device/software/exec/texture/texel_values.h"
#include "domA/device/software/exec/texture_forms.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace pegasus::software {
namespace {

constexpr std::uint32_t max_access_bytes = 16;

// One lane's access: where, in bytes, rows and slices.
struct SurfacePlace {
  std::int64_t x = 0, y = 0, slice = 0;
  std::uint32_t bytes = 0;
};

struct BoundSurface {
  BoundSurface(std::uint64_t named, TexelStore const& store, Memory const& memory)
      : handle(named), reader(memory, store) {}

  std::uint64_t handle;
  TexelReader reader;
};

class SurfaceAccess {
public:
  SurfaceAccess(Warp& w, Op const& op, char const* verb)
      : warp_(w), op_(op), launch_(*w.block->launch), form_(unpacked<SurfaceForm>(op.imm)), verb_(verb) {}

  [[nodiscard]] SurfaceForm const& form() const { return form_; }
  [[nodiscard]] device::Texel texel() const { return surface_->reader.store().texel; }
  // Where the lane's access is in this process. nullptr with `faulted()`, or because it is out of range and has no effect.
  [[nodiscard]] std::byte* place(std::uint32_t lane);
  [[nodiscard]] bool faulted() const { return faulted_; }

private:
  [[nodiscard]] bool bind(std::uint32_t lane);
  [[nodiscard]] SurfacePlace read_place(std::uint32_t lane) const;
  [[nodiscard]] bool bring_in(std::uint32_t lane, SurfacePlace&);
  std::byte* fault(std::uint32_t lane, device::Status status, std::string const& what) {
    faulted_ = true;
    raise(warp_, op_, lane, status, what);
    return nullptr;
  }

  Warp& warp_;
  Op const& op_;
  LaunchState const& launch_;
  SurfaceForm form_;
  char const* verb_;
  std::optional<BoundSurface> surface_;
  bool faulted_ = false;
};

bool SurfaceAccess::bind(std::uint32_t lane) {
  std::uint64_t const handle = warp_.reg<std::uint64_t>(op_.a)[lane];
  if (surface_ && surface_->handle == handle) return true;
  TexelStore const* const store = launch_.textures->find_surface(handle);
  if (store == nullptr || store->levels.empty()) {
    fault(lane, device::Status::illegal_address,
          fmt::format("there is no surface with the handle {:#x}", handle));
    return false;
  }
  surface_.emplace(handle, *store, *launch_.memory);
  return true;
}

// Coordinates are signed, a layer is not.
SurfacePlace SurfaceAccess::read_place(std::uint32_t lane) const {
  std::uint32_t const* next = op_.extra + op_.count;
  auto const word = [&] { return warp_.reg<std::uint32_t>(*next++)[lane]; };
  SurfacePlace p;
  if (has_layer(form_.geometry)) p.slice = word();
  std::int64_t* const to[] = {&p.x, &p.y, &p.slice};
  for (std::uint32_t k = 0; k < coordinates_of(form_.geometry); ++k)
    *to[k] = static_cast<std::int32_t>(word());
  p.bytes = op_.count * std::uint32_t{form_.element_bytes};
  if (!form_.formatted) return p;
  p.bytes = texel().bytes();
  p.x *= p.bytes; // in texels there
  return p;
}

// Returns false if there is nothing to access.
bool SurfaceAccess::bring_in(std::uint32_t lane, SurfacePlace& p) {
  TexelPlane const& plane = surface_->reader.store().levels[0];
  auto const row = static_cast<std::int64_t>(plane.width * texel().bytes());
  auto const rows = static_cast<std::int64_t>(plane.height), slices = static_cast<std::int64_t>(plane.slices);
  std::int64_t const last = row - p.bytes;
  if (p.x >= 0 && p.x <= last && p.y >= 0 && p.y < rows && p.slice >= 0 && p.slice < slices) return true;
  if (form_.beyond == SurfaceForm::Beyond::trap) {
    fault(lane, device::Status::illegal_address,
          fmt::format("illegal {} of {} bytes at byte {}, row {}, slice {} of surface {:#x}, which has {} "
                      "bytes in each "
                      "of {} rows of {} slices",
                      verb_, p.bytes, p.x, p.y, p.slice, surface_->handle, row, rows, slices));
    return false;
  }
  if (form_.beyond == SurfaceForm::Beyond::zero || last < 0 || rows <= 0 || slices <= 0) return false;
  p.x = std::clamp<std::int64_t>(p.x, 0, last / p.bytes * p.bytes);
  p.y = std::clamp<std::int64_t>(p.y, 0, rows - 1);
  p.slice = std::clamp<std::int64_t>(p.slice, 0, slices - 1);
  return true;
}

std::byte* SurfaceAccess::place(std::uint32_t lane) {
  if (!bind(lane)) return nullptr;
  SurfacePlace p = read_place(lane);
  if (!form_.formatted && (p.x & (p.bytes - 1)) != 0)
    return fault(lane, device::Status::misaligned_address,
                 fmt::format("misaligned {} of {} bytes at byte {} of a row of surface {:#x}", verb_, p.bytes,
                             p.x, surface_->handle));
  if (!bring_in(lane, p)) return nullptr;
  std::byte* const at =
      surface_->reader.at(0, static_cast<std::uint64_t>(p.x), static_cast<std::uint64_t>(p.y),
                          static_cast<std::uint64_t>(p.slice), p.bytes);
  if (at != nullptr) return at;
  return fault(lane, device::Status::illegal_address,
               fmt::format("a texel of surface {:#x} is at {:#x}, where there is no memory", surface_->handle,
                           surface_->reader.missing()));
}

// A register of any width, from its low bytes or with zeros above.
std::byte* register_of(Warp const& w, std::uint32_t offset, SurfaceForm const& form, std::uint32_t lane) {
  return w.registers + offset + std::size_t{lane} * form.register_bytes;
}

} // namespace

Op const* op_surface_load(Warp& w, Op const& op) {
  SurfaceAccess access(w, op, "load");
  SurfaceForm const& form = access.form();
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::byte const* const at = access.place(lane);
    if (access.faulted()) return nullptr;
    std::byte loaded[max_access_bytes]{};
    if (at != nullptr) std::memcpy(loaded, at, std::size_t{op.count} * form.element_bytes);
    for (std::uint32_t k = 0; k < op.count; ++k) {
      std::uint64_t value = 0;
      std::memcpy(&value, loaded + std::size_t{k} * form.element_bytes, form.element_bytes);
      std::memcpy(register_of(w, op.extra[k], form, lane), &value, form.register_bytes);
    }
  }
  return &op + 1;
}

Op const* op_surface_store(Warp& w, Op const& op) {
  SurfaceAccess access(w, op, "store");
  SurfaceForm const& form = access.form();
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::byte* const at = access.place(lane);
    if (access.faulted()) return nullptr;
    if (at == nullptr) continue;
    if (form.formatted) {
      TexelValues values{};
      for (std::uint32_t k = 0; k < op.count; ++k)
        values[k] = w.reg<std::uint32_t>(op.extra[k])[lane];
      store_values(at, access.texel(), values);
      continue;
    }
    for (std::uint32_t k = 0; k < op.count; ++k)
      std::memcpy(at + std::size_t{k} * form.element_bytes, register_of(w, op.extra[k], form, lane),
                  form.element_bytes);
  }
  return &op + 1;
}

} // namespace pegasus::software
