// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/mbarrier.h"

#include "domA/device/software/exec/compile/rules/memory_words.h"
#include "domA/device/software/exec/mbarrier_word.h"
#include "domA/device/software/exec/ops.h"

#include <optional>
#include <string>
#include <string_view>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Space;
using ptx::Type;

// The words that are left when space, ordering and scope are taken away: "arrive", "test_wait.parity".
// Returns an empty text if there is another space than shared memory.
std::string operation_of(Modifiers const& m, Space& space) {
  std::string operation;
  for (std::string_view const word : m.words) {
    if (Space const named = space_named(word); named != Space::none) {
      if (named != Space::shared) return {};
      space = named;
    } else if (!is_memory_hint(word)) {
      operation.append(operation.empty() ? "" : ".").append(word);
    }
  }
  return operation;
}

// The op on the object that operand k names.
void emit_on(Lowering& l, Instruction const& i, std::size_t k, Space space, Handler fn, std::uint32_t d,
             std::uint32_t b = 0) {
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, k), space);
  if (l.errors.failed()) return;
  if (at.window != Window::shared && at.window != Window::generic)
    return l.errors.invalid("an mbarrier is in shared memory");
  Op& op = l.code.emit(fn, d, 0, b).op;
  l.addressing.put(op, at);
  op.discard = d == 0;
}

void lower_pending_count(Lowering& l, Instruction const& i) {
  std::uint32_t const state = l.operands.source(i, 1, Type::b64), low = l.registers.fresh(4);
  std::uint32_t const d = l.operands.destination(i, 0, Type::b32);
  l.code.emit("narrow.64.32", low, state);
  l.code.emit("and.b32", d, low, l.registers.constant(4, MbarrierWord::most));
}

struct Arrival {
  Handler fn;
  bool counts; // has an operand for the number of arrivals; otherwise it is 1
};
std::optional<Arrival> arrival_named(std::string_view operation, std::size_t operands) {
  bool const counts = operands == 3;
  if (operation == "arrive" && !counts) return Arrival{op_mbarrier_arrive, false};
  if (operation == "arrive_drop" && !counts) return Arrival{op_mbarrier_arrive_drop, false};
  if (operation == "arrive.noComplete" && counts) return Arrival{op_mbarrier_arrive, true};
  if (operation == "arrive_drop.noComplete" && counts) return Arrival{op_mbarrier_arrive_drop, true};
  return std::nullopt;
}

} // namespace

// mbarrier.init [p], count; mbarrier.inval [p]; mbarrier.arrive{_drop} state, [p]; ....noComplete state, [p], count;
// mbarrier.test_wait q, [p], state; mbarrier.test_wait.parity q, [p], parity; mbarrier.pending_count n, state
void lower_mbarrier(Lowering& l, Instruction const& i, Modifiers const& m) {
  Space space = Space::none;
  std::string const operation = operation_of(m, space);
  if (m.types.size() != 1 || m.type() != Type::b64) return l.errors.unsupported(i);
  if (operation == "init")
    return emit_on(l, i, 0, space, op_mbarrier_init, 0, l.operands.source(i, 1, Type::u32));
  if (operation == "inval") return emit_on(l, i, 0, space, op_mbarrier_invalidate, 0);
  if (operation == "pending_count" && space == Space::none) return lower_pending_count(l, i);
  if (operation == "test_wait" || operation == "test_wait.parity") {
    bool const parity = operation != "test_wait";
    std::uint32_t const b = l.operands.source(i, 2, parity ? Type::u32 : Type::b64);
    return emit_on(l, i, 1, space, parity ? op_mbarrier_test_parity : op_mbarrier_test,
                   l.operands.destination(i, 0, Type::pred), b);
  }
  auto const arrival = arrival_named(operation, i.operands.size());
  if (!arrival) return l.errors.unsupported(i);
  std::uint32_t const count =
      arrival->counts ? l.operands.source(i, 2, Type::u32) : l.registers.constant(4, 1);
  emit_on(l, i, 1, space, arrival->fn, l.operands.destination(i, 0, Type::b64), count);
}

// The thread's copies are complete: without .noinc the object counts one more arrival, and its arrival.
void lower_copies_arrive(Lowering& l, Instruction const& i, Modifiers const& m) {
  Space space = Space::none;
  std::string const operation = operation_of(m, space);
  bool const counted = operation == "async.mbarrier.arrive.noinc";
  if ((!counted && operation != "async.mbarrier.arrive") || m.types.size() != 1 || m.type() != Type::b64)
    return l.errors.unsupported(i);
  emit_on(l, i, 0, space, op_mbarrier_arrive, 0, l.registers.constant(4, counted ? 1 : 0));
}

} // namespace pegasus::software
