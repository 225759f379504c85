// SPDX-License-Identifier: Apache-2.0
// Slices the kernels of any bytes as PTX text. The result is a reason, or a text that parses again. Its
// kernel has the original parameters and then a Piece, and uses the module's variables only by address.
#include "domA/device/slicing/slice.h"

#include "domA/device/ptx/parser.h"

#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace pegasus;

using pegasus::fuzz::require;

// Finds no compiler-generated strings and no names that end in a zero, as if they were not loaded.
std::optional<std::uint64_t> resolve(std::string_view name) {
  if (name.front() == '$' || name.front() == '_' || name.back() == '0') return std::nullopt;
  return 0x7f0000000000 + 0x100 * name.size();
}

std::uint32_t end_of(std::vector<ptx::Variable> const& parameters) {
  std::uint64_t end = 0;
  for (ptx::Variable const& p : parameters)
    end = (end + p.align - 1) / p.align * p.align + p.bytes;
  return static_cast<std::uint32_t>(end);
}

void check(slicing::Kernel const& made, std::string_view name, std::size_t parameters) {
  auto const module = ptx::parse(made.text);
  require(module.has_value());
  unsigned entries = 0;
  for (ptx::Function const& function : module->functions) {
    if (!function.entry) continue;
    ++entries;
    require(function.name == name);
    require(function.parameters.size() == parameters + 1);
    ptx::Variable const& piece = function.parameters.back();
    require(piece.bytes == sizeof(slicing::Piece) && piece.align == alignof(slicing::Piece));
    require(end_of(function.parameters) == made.parameter_offset + sizeof(slicing::Piece));
  }
  require(entries == 1);
  for (ptx::Variable const& variable : module->variables)
    require(variable.space == ptx::Space::shared || variable.space == ptx::Space::global);
  require(!slicing::slice(made.text, name, resolve).has_value()); // a sliced kernel is not sliced again
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(reinterpret_cast<char const*>(data), size);
  auto const module = ptx::parse(text);
  if (!module) { // another kernel may be at fault
    auto const made = slicing::slice(text, "k", resolve);
    require(made.has_value() || !made.error().empty());
    return 0;
  }
  unsigned most = 4;
  for (ptx::Function const& function : module->functions) {
    if (!function.entry) continue;
    if (most-- == 0) break;
    auto const made = slicing::slice(text, function.name, resolve);
    if (made)
      check(*made, function.name, function.parameters.size());
    else
      require(!made.error().empty());
  }
  return 0;
}
