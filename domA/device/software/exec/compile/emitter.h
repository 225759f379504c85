// SPDX-License-Identifier: Apache-2.0
// The code of a function under construction: ops in order, in blocks, and the tables that calls and indexed
// branches refer to.
#pragma once

#include "domA/device/software/exec/compile/diagnostics.h"
#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/handler_table.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::software {

class Emitter {
public:
  // `into` and `errors`, which has the line, must outlive this object.
  Emitter(DraftFunction& into, Isa isa, Diagnostics& errors) : draft_(into), isa_(isa), errors_(errors) {}

  // The handler for a key such as "fma.ftz.f32"; nullptr if there is no such operation.
  [[nodiscard]] Handler handler(std::string_view key) const { return find_handler(key, isa_); }

  // Adds an op. The reference is valid until the next one; an unknown key is an error.
  Draft& emit(Handler, std::uint32_t d, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);
  Draft& emit(std::string const& key, std::uint32_t d, std::uint32_t a = 0, std::uint32_t b = 0,
              std::uint32_t c = 0);
  [[nodiscard]] Draft* last() { return draft_.ops.empty() ? nullptr : &draft_.ops.back(); }
  [[nodiscard]] std::size_t size() const { return draft_.ops.size(); }

  void begin_block(std::vector<std::uint32_t> const& successors);
  // All ops from this number on run only where the predicate `guard` is true (false if `negated`).
  void guard_from(std::size_t first, std::uint32_t guard, bool negated);

  std::uint32_t add_call(CallSite&&); // returns the value for Op::index of a call
  std::uint32_t add_jump(std::vector<std::uint32_t> blocks);

private:
  DraftFunction& draft_;
  Isa isa_;
  Diagnostics& errors_;
};

// Makes one op run under a guard.
void put_guard(Op&, std::uint32_t guard, bool negated);

} // namespace pegasus::software
