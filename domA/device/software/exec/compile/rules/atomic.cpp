// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/atomic.h"

#include "domA/device/software/exec/compile/rules/cache.h"
#include "domA/device/software/exec/compile/rules/memory_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::software {

using ptx::Instruction;
using ptx::Space;
using ptx::Type;

void lower_atom(Lowering& l, Instruction const& i, Modifiers const& m) {
  static constexpr std::string_view operations[] = {"add", "min", "max", "inc",  "dec",
                                                    "and", "or",  "xor", "exch", "cas"};
  Space space = Space::none;
  std::string_view operation;
  bool policy = false;
  for (std::string_view const word : m.words) {
    if (std::find(std::begin(operations), std::end(operations), word) != std::end(operations))
      operation = word;
    else if (Space const s = space_named(word); s != Space::none)
      space = s;
    else if (word == "L2::cache_hint")
      policy = true;
    else if (!is_memory_hint(word))
      return l.errors.unsupported(i);
  }
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8) return l.errors.unsupported(i);
  bool const sign_free =
      (operation != "min" && operation != "max" && operation != "inc" && operation != "dec");
  Type const by = sign_free && !is_float(type) ? bits_type(ptx::bytes_of(type)) : type;
  std::string const key = fmt::format("atom.{}.{}", operation, name_of(by));
  if (l.code.handler(key) == nullptr) return l.errors.unsupported(i);
  bool const reduction = i.mnemonic == "red";
  std::size_t const first = reduction ? 0 : 1;
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, first), space);
  std::uint32_t const b = l.operands.source_of_width(l.operands.at(i, first + 1), width_of(type));
  std::uint32_t const c =
      operation == "cas" ? l.operands.source_of_width(l.operands.at(i, first + 2), width_of(type)) : 0;
  std::uint32_t const d = reduction ? 0 : l.operands.destination(i, 0, type);
  if (policy) lower_policy(l, i, first + (operation == "cas" ? 3 : 2));
  if (l.errors.failed()) return;
  if (at.window == Window::param || at.is_local())
    return l.errors.invalid("an atomic on memory that no other thread sees");
  Draft& draft = l.code.emit(key, d, 0, b, c);
  l.addressing.put(draft.op, at);
  draft.op.discard = reduction;
}

} // namespace pegasus::software
