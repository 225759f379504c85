// SPDX-License-Identifier: Apache-2.0
// What an entry can reach: the functions that must be lowered with it, and the shared variables
// of its blocks.
#pragma once

#include "domA/device/software/exec/compile/link.h"

#include <unordered_map>
#include <vector>

namespace pegasus::software {

struct Reach {
  std::vector<Symbol> functions; // [0] is the entry
  std::vector<Symbol> addressed; // their address is taken: targets of indirect calls
  std::unordered_map<ptx::Variable const*, std::uint32_t> shared; // offset in the block's shared memory
  std::uint32_t static_shared_bytes = 0;                          // of its variables
  std::uint32_t dynamic_shared_offset = 0;                        // where dynamic shared memory starts
  bool uses_reserved_shared = false;                              // that of the system
  bool calls_indirectly = false;
};

[[nodiscard]] std::optional<BuildError> reach_from(Linked const&, Symbol const& entry, Reach&);
// The meaning of names inside a function: its own variables first, then the unit's symbols.
class Scope {
public:
  Scope(Linked const&, Symbol const& function);
  [[nodiscard]] Symbol find(std::string_view name) const;

private:
  Linked const& linked_;
  std::uint32_t unit_;
  std::unordered_map<std::string_view, ptx::Variable const*> own_;
};

} // namespace pegasus::software
