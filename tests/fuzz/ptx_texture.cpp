// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_texture.h"

#include <algorithm>

namespace pegasus::fuzz {
namespace {

struct TextureShape {
  std::string_view name;
  unsigned coordinates, gradient;
  bool layer, pads;
};
constexpr TextureShape texture_shapes[] = {{"1d", 1, 1, false, false},  {"2d", 2, 2, false, false},
                                           {"3d", 3, 4, false, true},   {"a1d", 1, 1, true, false},
                                           {"a2d", 2, 2, true, true},   {"cube", 3, 4, false, true},
                                           {"acube", 3, 4, true, false}};

std::string coordinate(PtxWriter& w, bool integer) {
  if (w.pick(3) == 0) return w.reg('r');
  if (integer) return std::string(w.pick("0 1 2 3 5 7 -1 16 0x7fffffff"));
  return std::string(
      w.pick("0f3F000000 0f00000000 0f3EAAAAAB 0f40200000 0fBF400000 0f7FC00000 0f7F800000 0f5F000000 "
             "0f80000000 0f3F800000"));
}

std::string vector(PtxWriter& w, unsigned count, bool integer) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + coordinate(w, integer);
  return text + "}";
}

std::string place(PtxWriter& w, TextureShape const& shape, bool integer) {
  std::string text = "[%a0, {";
  if (shape.layer) text += coordinate(w, true) + ", ";
  for (unsigned i = 0; i < shape.coordinates + (shape.pads ? 1 : 0); ++i)
    text += (i == 0 ? "" : ", ") + coordinate(w, integer);
  return text + "}]";
}

void write_handle(PtxWriter& w, unsigned handle) {
  if (w.rarely())
    w.line("mov.u64 %a0, {};", w.reg('d'));
  else
    w.line("mov.u64 %a0, {};", handle);
}

void write_fetch(PtxWriter& w) {
  write_handle(w, 1 + w.pick(named_textures));
  TextureShape const& shape = texture_shapes[w.pick(std::size(texture_shapes))];
  bool const cube = shape.coordinates == 3 && shape.name != "3d";
  bool const integer = !cube && w.pick(4) == 0;
  std::string const d = register_vector('4', w.pick(count_of('r')), count_of('r'));
  std::string const resident = w.pick(8) == 0 ? "|" + w.reg('p') : "";
  std::string const offset = !cube && w.pick(4) == 0 ? ", " + vector(w, shape.gradient, true) : "";
  std::string const in = w.guard();
  std::string const at = place(w, shape, integer);
  if (!integer && (shape.name == "2d" || shape.name == "a2d" || cube) && w.pick(4) == 0)
    return w.line("{}tld4.{}.{}.v4.{}.f32 {}, {}{};", in, w.pick("r g b a"), shape.name,
                  w.pick("f32 u32 s32"), d, at, offset);
  std::string_view const types = integer ? "f32.s32 u32.s32 s32.s32" : "f32.f32 u32.f32 s32.f32";
  switch (w.pick(integer ? 2 : 3)) {
  case 0:
    return w.line("{}tex.{}.v4.{} {}{}, {}{};", in, shape.name, w.pick(types), d, resident, at, offset);
  case 1:
    return w.line("{}tex.level.{}.v4.{} {}{}, {}, {}{};", in, shape.name, w.pick(types), d, resident, at,
                  coordinate(w, integer), offset);
  default: {
    std::string const by_x = vector(w, shape.gradient, false), by_y = vector(w, shape.gradient, false);
    return w.line("{}tex.grad.{}.v4.{} {}{}, {}, {}, {}{};", in, shape.name, w.pick(types), d, resident, at,
                  by_x, by_y, offset);
  }
  }
}

// Mostly without faults, and what is written is the same for all.
void write_surface_access(PtxWriter& w) {
  bool const store = w.pick(3) == 0;
  write_handle(w, store ? written_surface : read_surface);
  TextureShape const& shape = texture_shapes[w.pick(5)];
  std::string_view const beyond = w.rarely() ? "trap" : w.pick("clamp zero");
  unsigned const bits = 8u << w.pick(4), values = 1u << w.pick(bits == 64 ? 2 : 3);
  std::string const vec = values == 1 ? "" : values == 2 ? "v2." : "v4.";
  std::string x = w.rarely() ? coordinate(w, true) : "%i0";
  w.line("and.b32 %i0, {}, {};", w.reg('r'), 0xffu & ~(bits / 8 * values - 1));
  std::string at = "[%a0, {";
  if (shape.layer) at += coordinate(w, true) + ", ";
  at += x;
  for (unsigned i = 1; i < shape.coordinates + (shape.pads ? 1 : 0); ++i)
    at += ", " + coordinate(w, true);
  at += "}]";
  char const kind = bits == 64 ? 'd' : bits == 32 || w.pick(2) != 0 ? 'r' : 'h';
  std::string list;
  for (unsigned i = 0; i < values; ++i)
    list += (i == 0 ? "" : ", ") + (store ? std::string("0x1111111111111111") : w.reg(kind));
  if (store)
    return w.line("{}sust.b.{}.{}b{}.{} {}, {{{}}};", w.guard(), shape.name, vec, bits, beyond, at, list);
  w.line("{}suld.b.{}.{}b{}.{} {{{}}}, {};", w.guard(), shape.name, vec, bits, beyond, list, at);
}

void write_query(PtxWriter& w) {
  bool const surface = w.pick(4) == 0;
  write_handle(w, surface ? read_surface : 1 + w.pick(named_textures));
  if (surface)
    return w.line("{}suq.{}.b32 {}, [%a0];", w.guard(),
                  w.pick("width height depth channel_data_type channel_order array_size memory_layout"),
                  w.reg('r'));
  if (w.pick(4) == 0)
    return w.line("{}txq.level.{}.b32 {}, [%a0], {};", w.guard(), w.pick("width height depth"), w.reg('r'),
                  coordinate(w, true));
  w.line(
      "{}txq.{}.b32 {}, [%a0];", w.guard(),
      w.pick("width height depth channel_data_type channel_order normalized_coords filter_mode addr_mode_0 "
             "addr_mode_1 addr_mode_2 array_size num_mipmap_levels"),
      w.reg('r'));
}

} // namespace

void write_texture_operation(PtxWriter& w) {
  switch (w.pick(8)) {
  case 0:
    return write_query(w);
  case 1:
  case 2:
    return write_surface_access(w);
  default:
    return write_fetch(w);
  }
}

} // namespace pegasus::fuzz
