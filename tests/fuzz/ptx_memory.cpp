// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_memory.h"

#include <bit>

namespace pegasus::fuzz {
namespace {

// An address within the `limit` bytes at `base`, for an access of `bytes`. In rare cases it may be elsewhere.
std::string somewhere(PtxWriter& w, std::string_view space, std::string_view base, unsigned limit,
                      unsigned bytes) {
  unsigned const offset = w.pick(limit) / bytes * bytes;
  unsigned const way = w.pick(4);
  bool const wild = w.take<std::uint8_t>() == 255;
  if (base.starts_with("%")) return fmt::format("{}+{}", base, wild ? offset * 65536 + w.pick(8) : offset);
  if (way == 0) return fmt::format("{}+{}", base, wild ? offset + limit + w.pick(8) : offset);
  std::string const index = w.reg('r');
  if (wild)
    w.line("mov.b32 %i0, {};", index);
  else
    w.line("and.b32 %i0, {}, {};", index, (std::bit_floor(limit) - 1) & ~(bytes - 1));
  if (way == 1 && space != "global" && space != "const" && space != "generic") {
    w.line("mov.u32 %i1, {};\nadd.u32 %i1, %i1, %i0;", base);
    return "%i1";
  }
  w.line("mov.u64 %a0, {};\ncvt.u64.u32 %a1, %i0;\nadd.u64 %a0, %a0, %a1;", base);
  return "%a0";
}

void access(PtxWriter& w, std::string_view space, std::string const& address, unsigned bytes, bool load) {
  unsigned count = 1;
  while (bytes > 8 || (bytes > 1 && w.pick(3) == 0 && count < 4))
    bytes /= 2, count *= 2;
  char const kind = bytes == 1   ? "hrd"[w.pick(3)]
                    : bytes == 2 ? "hrd"[w.pick(3)]
                    : bytes == 4 ? "rd"[w.pick(2)]
                                 : 'd';
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i == 0 ? "" : ", ") + w.reg(kind);
  if (count > 1) list = "{" + list + "}";
  std::string const type = fmt::format("{}{}", w.pick("u s b"), 8 * bytes);
  std::string const dot = space == "generic" ? "" : fmt::format(".{}", space);
  std::string const vector = count == 1 ? "" : fmt::format(".v{}", count);
  bool const hint = space == "global" && w.pick(8) == 7;
  std::string const policy = hint ? ", " + w.reg('d') : "", named = hint ? ".L2::cache_hint" : "";
  if (load)
    w.line("{}ld{}{}{}.{} {}, [{}]{};", w.guard(), dot, named, vector, type, list, address, policy);
  else
    w.line("{}st{}{}{}.{} [{}], {}{};", w.guard(), dot, named, vector, type, address, list, policy);
}

} // namespace

void write_access(PtxWriter& w, std::span<Parameter const> kernel_parameters) {
  unsigned const bytes = 1u << w.pick(5);
  bool const load = w.pick(2) != 0;
  switch (w.pick(8)) {
  case 0:
    return access(w, "global", somewhere(w, "global", "data", data_bytes, bytes), bytes, true);
  case 1:
    return access(w, "const", somewhere(w, "const", "table", table_bytes, bytes), bytes, true);
  case 2:
    return access(w, "shared", somewhere(w, "shared", "tile", shared_bytes, bytes), bytes, load);
  case 3:
    return access(w, "local", somewhere(w, "local", "frame", local_bytes, bytes), bytes, load);
  case 4: { // through a generic address
    static constexpr std::string_view spaces[] = {"shared", "local", "global"};
    static constexpr std::string_view bases[] = {"tile", "frame", "data"};
    unsigned const which = w.pick(3);
    std::string const at =
        somewhere(w, "generic", bases[which], which == 1 ? local_bytes : data_bytes, bytes);
    if (!at.starts_with("%a0")) w.line("mov.u64 %a0, {};", at);
    w.line("cvta.{}.u64 %a0, %a0;", spaces[which]);
    return access(w, "generic", "%a0", bytes, load || which == 2);
  }
  case 5:
    if (!kernel_parameters.empty()) {
      auto const which = w.pick(static_cast<unsigned>(kernel_parameters.size()));
      Parameter const& p = kernel_parameters[which];
      unsigned const size = p.array != 0 ? 1 : bytes_of(p.kind);
      return access(w, "param", fmt::format("y{}{}", which, w.rarely() ? "+4000" : ""), size, true);
    }
    return access(w, "shared", somewhere(w, "shared", "dynamic", 64, bytes), bytes, load);
  default:
    return access(w, "global", somewhere(w, "global", "%own", own_bytes, bytes), bytes, load);
  }
}

void write_asynchronous(PtxWriter& w) {
  std::string const object = fmt::format("[tile+{}]", w.rarely() ? w.take<std::uint16_t>() : w.pick(4) * 8);
  switch (w.pick(8)) {
  case 0: // the state of an object is what one of these wrote, or anything
    return w.line("{}mbarrier.init.shared.b64 {}, {};", w.guard(), object,
                  w.rarely() ? w.value('r') : "0xfffff");
  case 1:
    w.line("mbarrier.init.shared.b64 {}, {};", object, w.rarely() ? w.pick(4) : 32 + w.pick(40));
    w.line("mbarrier.arrive{}.shared.b64 {}, {};", w.pick("  _drop"), w.reg('d'), object);
    return w.line("mbarrier.arrive{}.noComplete.shared.b64 {}, {}, 1;", w.rarely() ? "_drop" : "", w.reg('d'),
                  object);
  case 2:
    if (w.pick(2) != 0)
      return w.line("{}mbarrier.test_wait.shared.b64 {}, {}, {};", w.guard(), w.reg('p'), object, w.reg('d'));
    return w.line("{}mbarrier.test_wait.parity.shared.b64 {}, {}, {};", w.guard(), w.reg('p'), object,
                  w.value('r'));
  case 3:
    w.line("cp.async.mbarrier.arrive{}.shared.b64 {};", w.rarely() ? ".noinc" : "", object);
    return w.line("mbarrier.inval.shared.b64 {};", object);
  case 4:
    return w.line("{}{} [data{}], 128;", w.guard(),
                  w.pick("discard.global.L2 applypriority.global.L2::evict_normal"),
                  w.rarely() ? fmt::format("+{}", w.pick(256)) : "");
  default: {
    unsigned const bytes = 4u << w.pick(3);
    bool const own = w.pick(2) != 0;
    std::string const from = own ? somewhere(w, "global", "%own", own_bytes, bytes)
                                 : somewhere(w, "global", "data", data_bytes, bytes);
    std::string const to =
        fmt::format("tile+{}", w.rarely() ? w.take<std::uint16_t>() : w.pick(shared_bytes) / bytes * bytes);
    std::string const part[] = {"", "", ", " + w.reg('r'), fmt::format(", {}", w.pick(17)),
                                ", " + w.reg('p')};
    w.line("{}cp.async.{}.shared.global{} [{}], [{}], {}{};", w.guard(), bytes == 16 ? w.pick("ca cg") : "ca",
           w.pick("  .L2::128B"), to, from, bytes, part[w.pick(5)]);
    return w.line("cp.async.{};", w.pick("commit_group wait_all"));
  }
  }
}

void write_atomic(PtxWriter& w) {
  std::string_view const type = w.pick("u32 s32 u64 s64 b32 b64 f32 f64 f16x2 f16 u32 b32");
  bool const is_float = type[0] == 'f', bits = type[0] == 'b';
  std::string_view const operation = is_float        ? "add"
                                     : bits          ? w.pick("and or xor exch cas")
                                     : type == "u32" ? w.pick("add min max inc dec")
                                                     : w.pick("add min max");
  char const kind = kind_of(register_bits(type));
  unsigned const bytes = bytes_of(kind);
  if (w.pick(3) == 0) { // the counters: operations that commute, and no later use of the old value
    static constexpr std::string_view operations =
        "add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32 add.u64 max.s64 xor.b64";
    unsigned const which = w.pick(9); // each operation has its own word: different ones do not commute
    bool const wide = which >= 6;
    std::string const at =
        fmt::format("[counters+{}], {}", wide ? 8 * which - 24 : 4 * which, w.value(wide ? 'd' : 'r'));
    if (w.pick(2) != 0)
      w.line("{}red.global.{} {};", w.guard(), word_of(operations, which), at);
    else
      w.line("{}atom.global.{} {}, {};", w.guard(), word_of(operations, which), wide ? "%wide_sink" : "%sink",
             at);
    return;
  }
  bool const shared = w.pick(2) != 0;
  std::string const at = shared ? somewhere(w, "shared", "tile", shared_bytes, bytes)
                                : somewhere(w, "global", "%own", own_bytes, bytes);
  std::string operands = fmt::format("[{}], {}", at, w.value(kind));
  if (operation == "cas") operands += ", " + w.value(kind);
  std::string const rounding = kind == 'h' || type == "f16x2" ? ".noftz" : "";
  std::string const name = fmt::format("{}.{}{}.{}", shared ? "shared" : "global", operation, rounding, type);
  if (w.pick(4) == 0 && operation != "cas" && operation != "exch")
    w.line("{}red.{} {};", w.guard(), name, operands);
  else
    w.line("{}atom.{} {}, {};", w.guard(), name, w.rarely() ? "_" : w.reg(kind), operands);
}

} // namespace pegasus::fuzz
