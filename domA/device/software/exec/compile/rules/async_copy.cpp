// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/async_copy.h"

#include "domA/device/software/exec/compile/rules/mbarrier.h"
#include "domA/device/software/exec/compile/rules/memory_words.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

using Words = std::span<std::string_view const>;

struct CopyWords {
  bool l2_only = false; // .cg
  bool policy = false;  // .L2::cache_hint
};

// Those behind `async`: .ca.shared.global{.L2::cache_hint}{.L2::128B}
std::optional<CopyWords> copy_words(Words words) {
  if (words.size() < 3 || (words[0] != "ca" && words[0] != "cg")) return std::nullopt;
  if (space_named(words[1]) != Space::shared || words[2] != "global") return std::nullopt;
  CopyWords copy{.l2_only = words[0] == "cg"};
  for (std::string_view const word : words.subspan(3)) {
    if (word == "L2::cache_hint")
      copy.policy = true;
    else if (word != "L2::64B" && word != "L2::128B" && word != "L2::256B")
      return std::nullopt;
  }
  return copy;
}

bool is_predicate(Lowering const& l, Operand const& o) {
  return o.kind == Operand::Kind::reg && l.registers.width(l.registers.declared(o)) == 0;
}

// [dst], [src], bytes{, source bytes | ignore the source}{, policy}
void lower_copy(Lowering& l, Instruction const& i, CopyWords const& words) {
  std::size_t const count = i.operands.size() - (words.policy ? 1 : 0);
  if (i.operands.size() < 3 || count < 3 || count > 4)
    return l.errors.invalid(
        "a copy has two addresses, its size, and at most the size or a predicate of its source");
  std::uint64_t const bytes = i.operands[2].kind == Operand::Kind::integer ? i.operands[2].bits : 0;
  if (bytes != 16 && (words.l2_only || (bytes != 4 && bytes != 8)))
    return l.errors.invalid("a copy is of 4, 8 or 16 bytes, with .cg of 16");
  if (words.policy) static_cast<void>(l.operands.source(i.operands.back(), Type::b64));
  MemoryPlace const to = l.addressing.place_of(i.operands[0], Space::shared);
  MemoryPlace const from = l.addressing.place_of(i.operands[1], Space::global);
  if (l.errors.failed()) return;
  if (to.window != Window::shared || from.window != Window::global)
    return l.errors.invalid("a copy is from global to shared memory");

  std::uint32_t source_bytes = 0, ignored = 0;
  if (count == 4 && is_predicate(l, i.operands[3]))
    ignored = l.operands.source(i.operands[3], Type::pred);
  else if (count == 4)
    source_bytes = l.operands.source(i.operands[3], Type::u32);
  std::vector<std::uint32_t> values(bytes / 4);
  std::ranges::generate(values, [&] { return l.registers.fresh(4); });
  Draft& load =
      count == 4 ? l.code.emit(op_load_part, 0, 0, source_bytes, ignored) : l.code.emit("ld.v.u32.b32", 0);
  l.addressing.put(load.op, from);
  load.op.count = static_cast<std::uint8_t>(values.size());
  load.extra_defined = static_cast<std::uint32_t>(values.size());
  load.extra = values;
  Draft& store = l.code.emit("st.v.u32.b32", 0);
  l.addressing.put(store.op, to);
  store.op.count = static_cast<std::uint8_t>(values.size());
  store.extra = std::move(values);
}

} // namespace

// cp.async.{ca,cg}...; cp.async.commit_group; cp.async.wait_group n; cp.async.wait_all; cp.async.mbarrier.arrive...
void lower_cp(Lowering& l, Instruction const& i, Modifiers const& m) {
  Words const words(i.modifiers);
  if (words.size() < 2 || words[0] != "async") return l.errors.unsupported(i);
  if (words[1] == "mbarrier") return lower_copies_arrive(l, i, m);
  if (auto const copy = copy_words(words.subspan(1))) return lower_copy(l, i, *copy);
  bool const group = words[1] == "wait_group";
  if (words.size() != 2 || (!group && words[1] != "commit_group" && words[1] != "wait_all"))
    return l.errors.unsupported(i);
  if (i.operands.size() != (group ? 1 : 0) || (group && i.operands[0].kind != Operand::Kind::integer))
    return l.errors.invalid("only wait_group has an operand, a number of groups");
}

} // namespace pegasus::software
