// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/cache.h"

#include "domA/device/software/exec/compile/rules/memory_words.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

bool is_priority(std::string_view word) {
  constexpr std::string_view priorities[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                             "L2::evict_unchanged"};
  return std::ranges::find(priorities, word) != std::end(priorities);
}

} // namespace

// createpolicy.fractional.L2::a{.L2::b}.b64 d{, fraction}; createpolicy.range{.global}.L2::a{.L2::b}.b64 d, [p], n, all;
// createpolicy.cvt.L2.b64 d, property
void lower_createpolicy(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (m.words.size() < 2 || m.types.size() != 1 || m.type() != Type::b64) return l.errors.unsupported(i);
  bool const fractional = m.words[0] == "fractional", range = m.words[0] == "range";
  bool const converts = m.words[0] == "cvt" && m.words[1] == "L2" && m.words.size() == 2;
  for (std::string_view const word : std::span(m.words).subspan(1))
    if (!converts && !is_priority(word) && !(range && word == "global")) return l.errors.unsupported(i);
  if (!fractional && !range && !converts) return l.errors.unsupported(i);
  if (range) {
    static_cast<void>(l.addressing.place_of(l.operands.at(i, 1), Space::global));
    static_cast<void>(l.operands.source(i, 2, Type::u32));
    static_cast<void>(l.operands.source(i, 3, Type::u32));
  } else if (converts || i.operands.size() > 1) {
    static_cast<void>(l.operands.source(i, 1, converts ? Type::b64 : Type::f32));
  }
  l.code.emit("mov.b64", l.operands.destination(i, 0, Type::b64), l.registers.constant(8, 0));
}

// discard{.global}.L2 [p], 128; applypriority{.global}.L2::evict_normal [p], 128
void lower_cache_line(Lowering& l, Instruction const& i, Modifiers const& m) {
  Space space = Space::none;
  std::string_view what;
  for (std::string_view const word : m.words) {
    if (word == "global")
      space = Space::global;
    else if (what.empty())
      what = word;
    else
      return l.errors.unsupported(i);
  }
  if (what != (i.mnemonic == "discard" ? "L2" : "L2::evict_normal") || !m.types.empty())
    return l.errors.unsupported(i);
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, 0), space);
  Operand const& size = l.operands.at(i, 1);
  if (l.errors.failed()) return;
  if (size.kind != Operand::Kind::integer || size.bits != 128)
    return l.errors.invalid("a line of the cache has 128 bytes");
  if (at.is_local() || at.window == Window::param || at.window == Window::shared)
    return l.errors.invalid("a line of the cache is in global memory");
  l.addressing.put(l.code.emit(op_check_line, 0).op, at);
}

void lower_policy(Lowering& l, Instruction const& i, std::size_t k) {
  if (!l.has(80, i)) return;
  static_cast<void>(l.operands.source(i, k, Type::b64));
}

} // namespace pegasus::software
