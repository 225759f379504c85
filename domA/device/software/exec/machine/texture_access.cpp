// SPDX-License-Identifier: Apache-2.0
// tex, tld4, txq and suq: each active lane by itself. Lanes mostly name the same texture, so what is known of the one
// before is kept.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/machine/block.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/ops.h"
#include "domA/device/software/exec/texture/levels.h"
#include "domA/device/software/exec/texture/query.h"
#include "domA/device/software/exec/texture/sampler.h"
#include "domA/device/software/exec/texture_forms.h"

#include <bit>
#include <fmt/format.h>
#include <optional>

namespace pegasus::software {
namespace {

// The registers in Op::extra, one after the other.
class LaneOperands {
public:
  LaneOperands(Warp const& w, std::uint32_t const* extra, std::uint32_t lane)
      : warp_(w), next_(extra), lane_(lane) {}

  std::uint32_t word() { return warp_.reg<std::uint32_t>(*next_++)[lane_]; }
  std::int32_t integer() { return static_cast<std::int32_t>(word()); }
  float number() { return std::bit_cast<float>(word()); }
  template <class T> std::array<T, 3> vector(std::uint32_t count) {
    std::array<T, 3> v{};
    for (std::uint32_t k = 0; k < count; ++k)
      v[k] = std::bit_cast<T>(word());
    return v;
  }

private:
  Warp const& warp_;
  std::uint32_t const* next_;
  std::uint32_t lane_;
};

// A texture that a lane has named.
struct BoundTexture {
  BoundTexture(std::uint64_t named, Texture const& texture, Memory const& memory)
      : handle(named), reader(memory, texture.store), sampler(texture.sampling, reader) {}
  BoundTexture(BoundTexture const&) = delete; // the sampler refers to the reader
  BoundTexture& operator=(BoundTexture const&) = delete;

  std::uint64_t handle;
  TexelReader reader;
  Sampler sampler;
};

TexelValues fetch_integer(Sampler& sampler, TextureForm const& form, LaneOperands& in) {
  std::uint32_t const n = coordinates_of(form.geometry);
  IntegerFetch fetch;
  fetch.geometry = form.geometry;
  if (has_layer(form.geometry)) fetch.layer = in.word();
  auto const at = in.vector<std::int32_t>(n);
  if (form.level == TextureForm::Level::given) fetch.level = in.integer();
  auto const offset = form.offset ? in.vector<std::int32_t>(n) : std::array<std::int32_t, 3>{};
  for (std::size_t k = 0; k < at.size(); ++k)
    fetch.at[k] = std::int64_t{at[k]} + offset[k];
  return sampler.fetch(fetch);
}

TexelValues fetch(Sampler& sampler, TextureForm const& form, LaneOperands in) {
  if (form.integer_coordinates) return fetch_integer(sampler, form, in);
  std::uint32_t const n = coordinates_of(form.geometry);
  Fetch fetch;
  fetch.geometry = form.geometry;
  if (has_layer(form.geometry)) fetch.layer = in.word();
  fetch.at = in.vector<float>(n);
  switch (form.level) {
  case TextureForm::Level::base:
    fetch.level = base_level;
    break;
  case TextureForm::Level::given:
    fetch.level = in.number();
    break;
  case TextureForm::Level::from_gradients: {
    auto const by_x = in.vector<float>(n), by_y = in.vector<float>(n);
    fetch.level = sampler.level_of(fetch, by_x, by_y);
    break;
  }
  }
  if (form.offset) fetch.offset = in.vector<std::int32_t>(n);
  return form.gathered == TextureForm::no_channel ? sampler.fetch(fetch)
                                                  : sampler.gather(fetch, form.gathered);
}

void put_values(Warp& w, Op const& op, TextureForm::Result result, std::uint32_t lane,
                TexelValues const& values) {
  auto const half = [&](std::size_t k) -> std::uint32_t { return half_of(std::bit_cast<float>(values[k])); };
  for (std::uint32_t k = 0; k < op.count; ++k) {
    std::uint32_t const d = op.extra[k];
    switch (result) {
    case TextureForm::Result::words:
      w.reg<std::uint32_t>(d)[lane] = values[k];
      break;
    case TextureForm::Result::halves:
      w.reg<std::uint16_t>(d)[lane] = static_cast<std::uint16_t>(half(k));
      break;
    case TextureForm::Result::pairs:
      w.reg<std::uint32_t>(d)[lane] = half(2 * k) | half(2 * k + 1) << 16;
      break;
    }
  }
}

Op const* unknown_handle(Warp& w, Op const& op, std::uint32_t lane, char const* what) {
  return raise(w, op, lane, device::Status::illegal_address,
               fmt::format("there is no {} with the handle {:#x}", what, w.reg<std::uint64_t>(op.a)[lane]));
}

} // namespace

Op const* op_texture(Warp& w, Op const& op) {
  LaunchState const& launch = *w.block->launch;
  auto const form = unpacked<TextureForm>(op.imm);
  std::optional<BoundTexture> bound;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint64_t const handle = w.reg<std::uint64_t>(op.a)[lane];
    if (!bound || bound->handle != handle) {
      Texture const* const texture = launch.textures->find(handle);
      if (texture == nullptr || texture->store.levels.empty()) return unknown_handle(w, op, lane, "texture");
      bound.emplace(handle, *texture, *launch.memory);
    }
    TexelValues const values = fetch(bound->sampler, form, {w, op.extra + op.count, lane});
    if (bound->reader.failed())
      return raise(w, op, lane, device::Status::illegal_address,
                   fmt::format("a texel of texture {:#x} is at {:#x}, where there is no memory", handle,
                               bound->reader.missing()));
    put_values(w, op, form.result, lane, values);
  }
  return &op + 1;
}

Op const* op_texture_query(Warp& w, Op const& op) {
  Textures const& textures = *w.block->launch->textures;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Texture const* const texture = textures.find(w.reg<std::uint64_t>(op.a)[lane]);
    if (texture == nullptr) return unknown_handle(w, op, lane, "texture");
    std::uint32_t const level = op.b == 0 ? 0 : w.reg<std::uint32_t>(op.b)[lane];
    w.reg<std::uint32_t>(op.d)[lane] =
        answer(static_cast<TextureQuery>(op.imm), texture->store, &texture->sampling, level);
  }
  return &op + 1;
}

Op const* op_surface_query(Warp& w, Op const& op) {
  Textures const& textures = *w.block->launch->textures;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    TexelStore const* const surface = textures.find_surface(w.reg<std::uint64_t>(op.a)[lane]);
    if (surface == nullptr) return unknown_handle(w, op, lane, "surface");
    w.reg<std::uint32_t>(op.d)[lane] = answer(static_cast<TextureQuery>(op.imm), *surface, nullptr, 0);
  }
  return &op + 1;
}

} // namespace pegasus::software
