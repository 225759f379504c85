// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/emitter.h"

#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>
#include <utility>

namespace pegasus::software {

void put_guard(Op& op, std::uint32_t guard, bool negated) {
  op.body = op.fn;
  op.fn = op_guarded;
  op.guard = guard;
  op.negated = negated;
}

Draft& Emitter::emit(Handler fn, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Draft draft;
  draft.op.fn = fn;
  draft.op.d = d;
  draft.op.a = a;
  draft.op.b = b;
  draft.op.c = c;
  draft.op.line = errors_.line();
  draft_.ops.push_back(std::move(draft));
  return draft_.ops.back();
}

Draft& Emitter::emit(std::string const& key, std::uint32_t d, std::uint32_t a, std::uint32_t b,
                     std::uint32_t c) {
  Handler const fn = handler(key);
  if (fn == nullptr)
    errors_.fail(device::Status::not_supported,
                 fmt::format("the software accelerator does not know the operation '{}'", key));
  return emit(fn, d, a, b, c);
}

void Emitter::begin_block(std::vector<std::uint32_t> const& successors) {
  draft_.block_start.push_back(static_cast<std::uint32_t>(draft_.ops.size()));
  draft_.block_successors.push_back(successors);
}

void Emitter::guard_from(std::size_t first, std::uint32_t guard, bool negated) {
  for (std::size_t k = first; k < draft_.ops.size(); ++k) {
    put_guard(draft_.ops[k].op, guard, negated);
    draft_.ops[k].merges = true;
  }
}

std::uint32_t Emitter::add_call(CallSite&& site) {
  draft_.calls.push_back(std::move(site));
  return static_cast<std::uint32_t>(draft_.calls.size() - 1);
}

std::uint32_t Emitter::add_jump(std::vector<std::uint32_t> blocks) {
  draft_.jump_blocks.push_back(std::move(blocks));
  return static_cast<std::uint32_t>(draft_.jump_blocks.size() - 1);
}

} // namespace pegasus::software
