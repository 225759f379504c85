// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/memory_words.h"

#include "domA/device/software/exec/compile/value_types.h"

#include <algorithm>

namespace pegasus::software {

using ptx::Space;

namespace {

constexpr std::string_view hints[] = {
    "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta", "cluster", "gpu",
    "sys",  "ca",       "cg",      "cs",      "lu",      "cv",      "wb", "wt",   "nc",  "noftz",
};

} // namespace

bool is_memory_hint(std::string_view word) {
  return std::find(std::begin(hints), std::end(hints), word) != std::end(hints) || word.starts_with("L1::") ||
         word.starts_with("L2::");
}

Space space_named(std::string_view word) {
  if (word == "global") return Space::global;
  if (word == "shared" || word == "shared::cta") return Space::shared;
  if (word == "const") return Space::constant;
  if (word == "local") return Space::local;
  if (word == "param" || word == "param::entry" || word == "param::func") return Space::param;
  return Space::none;
}

std::optional<MemoryWords> memory_words(ptx::Instruction const& i) {
  MemoryWords words;
  for (std::string_view const word : i.modifiers) {
    if (Space const s = space_named(word); s != Space::none)
      words.space = s;
    else if (word == "v2" || word == "v4" || word == "v8")
      words.count = static_cast<std::uint32_t>(word[1] - '0');
    else if (word == "L2::cache_hint")
      words.policy = true;
    else if (!is_memory_hint(word) && type_named(word) == ptx::Type::none)
      return std::nullopt;
  }
  return words;
}

} // namespace pegasus::software
