// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/exec_twins.h"

#include "domA/device/ptx/parser.h"
#include "tests/fuzz/exec_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace pegasus::fuzz {
namespace {

using software::Isa;

constexpr std::size_t max_kernels = 4;
constexpr std::uint64_t max_variable_bytes = 16 << 10;

// The first difference between their memories.
std::string difference(Story const& a, Story const& b) {
  if (a.memory.size() != b.memory.size()) return "memory of other sizes";
  auto const at = std::mismatch(a.memory.begin(), a.memory.end(), b.memory.begin()).first - a.memory.begin();
  auto const from = static_cast<std::size_t>(at) / 8 * 8;
  if (from >= a.memory.size()) return "memory alike";
  std::uint64_t x = 0, y = 0;
  std::size_t const bytes = std::min<std::size_t>(8, a.memory.size() - from);
  std::memcpy(&x, a.memory.data() + from, bytes);
  std::memcpy(&y, b.memory.data() + from, bytes);
  return fmt::format("memory at byte {:#x}: {:#018x}, {:#018x}", from, x, y);
}

bool alike(Story const& a, Story const& b) {
  return a.told == b.told && a.memory.size() == b.memory.size() &&
         (a.memory.empty() || std::memcmp(a.memory.data(), b.memory.data(), a.memory.size()) == 0);
}

[[noreturn]] void report(std::string const& ptx, Shape const& shape, Story const& plain, Story const& other) {
  fmt::print(stderr,
             "{}\nThe twins differ: grid {}x{}, blocks of {}x{}, {} bytes of dynamic shared memory; {}\n"
             "baseline, whole:\n{}\n{}, interrupted:\n{}\n",
             ptx, shape.grid[0], shape.grid[1], shape.block[0], shape.block[1], shape.dynamic_shared_bytes,
             difference(plain, other), plain.told, shape.avx2 ? "AVX2" : "best", other.told);
  std::fflush(stderr);
  std::abort();
}

} // namespace

Names names_in(ptx::Module const& module) {
  Names names;
  for (ptx::Function const& f : module.functions)
    if (f.entry && names.kernels.size() < max_kernels) names.kernels.emplace_back(f.name);
  for (ptx::Variable const& v : module.variables)
    if (v.space == ptx::Space::global && v.bytes <= max_variable_bytes) names.variables.emplace_back(v.name);
  return names;
}

Ending run_twins(std::string const& ptx, Names const* names, Shape const& shape, bool compare) {
  bool const shown = std::getenv("PEGASUS_FUZZ_SHOW") != nullptr; // for a person who repeats an input
  if (shown) fmt::print(stderr, "{}\n", ptx);
  auto module = ptx::parse(ptx);
  if (!module) {
    if (shown) fmt::print(stderr, "line {}: {}\n", module.error().line, module.error().message);
    return Ending::refused;
  }
  Names const of_text = names == nullptr ? names_in(*module) : Names{};
  Names const& used = names == nullptr ? of_text : *names;
  Isa const other_isa = shape.avx2 ? Isa::avx2 : Isa::best;
  std::optional<ExecProgram> program;
  program.emplace(shape.apart ? *module : std::move(*module), used, shape, Isa::baseline);
  Story const plain = program->run(false);
  if (shown) fmt::print(stderr, "{}", plain.told);
  if (plain.ending == Ending::refused || plain.ending == Ending::too_long) return plain.ending;
  if (shape.apart) {
    program.reset();
    program.emplace(std::move(*module), used, shape, other_isa);
  } else {
    program->restore(other_isa);
  }
  Story const other = program->run(true);
  if (!compare || other.paused || other.ending == Ending::too_long) return plain.ending;
  if (!alike(plain, other)) report(ptx, shape, plain, other);
  return plain.ending;
}

} // namespace pegasus::fuzz
