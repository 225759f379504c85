// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/program.h"

#include "domA/device/ptx/parser.h"
#include "domA/device/software/exec/compile/link.h"
#include "domA/device/software/exec/compile/lower.h"
#include "domA/device/software/exec/compile/reach.h"
#include "domA/device/software/exec/compile/registers.h"
#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pegasus::software {

struct Program::State {
  std::vector<ptx::Module> units;
  Linked linked;
  Memory* memory = nullptr;
  Isa isa = Isa::best;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
};

namespace {

Program::Failure failure(BuildError error) {
  return {error.status, std::move(error.message), std::move(error.reason), error.line};
}

constexpr std::uint64_t max_parameter_bytes = 32764; // CUDA C++ Programming Guide, "Function Parameters"

// Offsets follow from alignment and size (PTX ISA 5.2: kernel parameters are laid out as a C structure).
bool lay_out_parameters(ptx::Function const& entry, device::FunctionInfo& info) {
  std::uint64_t at = 0;
  for (ptx::Variable const& v : entry.parameters) {
    std::uint64_t const align = std::max(v.align, 1u);
    at = (at + align - 1) / align * align;
    if (v.bytes > max_parameter_bytes || at + v.bytes > max_parameter_bytes) return false;
    info.parameters.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(v.bytes)});
    at += v.bytes;
  }
  info.parameter_bytes = static_cast<std::uint32_t>(at);
  return true;
}

// The deepest chain of calls, in bytes of local memory; a cycle among the functions has no deepest chain.
class StackDepth {
public:
  explicit StackDepth(Kernel const& kernel) : depth_(kernel.functions.size()) {}
  std::uint64_t of(FunctionCode const& code);
  bool cyclic = false;

private:
  static constexpr std::uint64_t open = ~std::uint64_t{0};
  std::vector<std::uint64_t> depth_; // 0: unknown; otherwise depth + 1
};

// Iterative: hostile code may have a very long chain of functions.
std::uint64_t StackDepth::of(FunctionCode const& root) {
  std::vector<std::pair<FunctionCode const*, std::size_t>> stack{{&root, 0}};
  depth_[root.index] = open;
  while (!stack.empty()) {
    auto& [code, next] = stack.back();
    if (next < code->calls.size()) {
      FunctionCode const* const callee = code->calls[next++].callee;
      if (callee == nullptr) continue;
      if (depth_[callee->index] == open) cyclic = true;
      if (depth_[callee->index] == 0) {
        depth_[callee->index] = open;
        stack.emplace_back(callee, 0);
      }
      continue;
    }
    std::uint64_t below = 0;
    for (CallSite const& site : code->calls)
      if (site.callee != nullptr && depth_[site.callee->index] != open)
        below = std::max(below, depth_[site.callee->index] - 1);
    depth_[code->index] = code->local_bytes + below + 1;
    stack.pop_back();
  }
  return depth_[root.index] - 1;
}

void describe(Kernel& kernel, ptx::Function const& entry, ptx::Module const& unit) {
  device::FunctionInfo& info = kernel.info;
  std::copy(std::begin(entry.max_threads), std::end(entry.max_threads), kernel.max_threads);
  std::copy(std::begin(entry.required_threads), std::end(entry.required_threads), kernel.required_threads);
  for (auto const* bound : {entry.max_threads, entry.required_threads}) {
    if (bound[0] == 0) continue;
    std::uint64_t const threads = std::uint64_t{bound[0]} * std::max(bound[1], 1u) * std::max(bound[2], 1u);
    info.max_threads_per_block =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, info.max_threads_per_block));
  }
  info.static_shared_bytes = kernel.static_shared_bytes;
  // In CUDA a function may at first use the rest of 48 KiB that its static shared memory leaves.
  info.max_dynamic_shared_bytes = shared_per_block - std::min(kernel.static_shared_bytes, shared_per_block);
  std::uint64_t constants = 0;
  for (ptx::Variable const& v : unit.variables)
    if (v.space == ptx::Space::constant && !v.external) constants += v.bytes;
  info.const_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(constants, 0xffffffff));
  info.local_bytes = kernel.local_bytes;
  std::uint32_t registers = 0;
  for (auto const& code : kernel.functions)
    registers = std::max(registers, code->registers);
  info.registers = std::clamp(registers, 1u, max_registers_per_thread); // of the lowered code
  info.ptx_version = static_cast<std::uint16_t>(unit.target);
}

std::optional<BuildError> lower_all(Linked const& linked, Reach const& reach, Kernel& kernel, Isa isa) {
  KernelBuild build{linked, reach, kernel, isa, {}, Effort()};
  for (Symbol const& f : reach.functions) {
    auto code = std::make_unique<FunctionCode>();
    code->name = f.function->name;
    code->index = static_cast<std::uint32_t>(kernel.functions.size());
    build.code.emplace(f.function, code.get());
    kernel.functions.push_back(std::move(code));
  }
  for (Symbol const& f : reach.functions) {
    DraftFunction draft;
    if (auto bad = lower(build, f, draft)) return bad;
    if (auto bad = finish(draft, *build.code.at(f.function))) return bad;
  }
  for (Symbol const& f : reach.addressed)
    if (auto const code = build.code.find(f.function); code != build.code.end())
      kernel.by_address.emplace(linked.address(f.function), code->second);
  return {};
}

tl::expected<std::unique_ptr<Kernel>, BuildError> make_kernel(Linked const& linked, Symbol const& entry,
                                                              Isa isa) {
  auto kernel = std::make_unique<Kernel>();
  ptx::Function const& f = *entry.function;
  kernel->name = f.name;
  if (!lay_out_parameters(f, kernel->info))
    return tl::unexpected(BuildError{
        device::Status::invalid_ptx,
        fmt::format("kernel '{}' has more than {} bytes of parameters", f.name, max_parameter_bytes)});
  Reach reach;
  if (auto bad = reach_from(linked, entry, reach)) return tl::unexpected(std::move(*bad));
  kernel->static_shared_bytes = reach.static_shared_bytes;
  kernel->dynamic_shared_offset = reach.dynamic_shared_offset;
  kernel->uses_reserved_shared = reach.uses_reserved_shared;
  if (auto bad = lower_all(linked, reach, *kernel, isa)) return tl::unexpected(std::move(*bad));
  StackDepth depth(*kernel);
  std::uint64_t local = depth.of(*kernel->functions.front());
  kernel->unbounded_stack = depth.cyclic || reach.calls_indirectly;
  if (local > 0x7fffffff)
    return tl::unexpected(BuildError{device::Status::invalid_ptx,
                                     fmt::format("kernel '{}' needs {} bytes of stack", f.name, local)});
  if (reach.calls_indirectly)
    for (auto const& code : kernel->functions)
      local = std::max<std::uint64_t>(local, code->local_bytes);
  kernel->local_bytes = static_cast<std::uint32_t>(local);
  describe(*kernel, f, linked.unit(entry.unit));
  return kernel;
}

} // namespace

Program::Program(std::unique_ptr<State> state) : state_(std::move(state)) {}
Program::~Program() {
  if (state_ != nullptr && state_->memory != nullptr) state_->linked.release(*state_->memory);
}

tl::expected<std::vector<ptx::Module>, Program::Failure> parse_units(std::vector<std::string> texts) {
  std::vector<ptx::Module> units;
  units.reserve(texts.size());
  for (std::string& text : texts) {
    auto unit = ptx::parse(std::move(text));
    if (!unit)
      return tl::unexpected(Program::Failure{
          device::Status::invalid_ptx, fmt::format("PTX unit {} of {}, line {}: {}", units.size() + 1,
                                                   texts.size(), unit.error().line, unit.error().message)});
    units.push_back(std::move(*unit));
  }
  return units;
}

tl::expected<std::unique_ptr<Program>, Program::Failure> Program::build(std::vector<ptx::Module> units,
                                                                        Memory& memory, Isa isa) {
  auto state = std::make_unique<State>();
  state->units = std::move(units);
  state->memory = &memory;
  state->isa = isa;
  for (std::size_t i = 0; i < state->units.size(); ++i)
    if (state->units[i].address_bits != 64)
      return tl::unexpected(
          Failure{device::Status::invalid_ptx, fmt::format("unit {} has {}-bit addresses; compile for 64",
                                                           i + 1, state->units[i].address_bits)});
  // from now on its destructor frees the memory
  std::unique_ptr<Program> program(new Program(std::move(state)));
  State& s = *program->state_;
  if (auto bad = s.linked.link(s.units)) return tl::unexpected(failure(std::move(*bad)));
  if (auto bad = s.linked.place(memory)) return tl::unexpected(failure(std::move(*bad)));
  return program;
}

tl::expected<Kernel const*, Program::Failure> Program::kernel(std::string_view name) {
  State& s = *state_;
  if (auto const it = s.kernels.find(name); it != s.kernels.end()) return it->second.get();
  Symbol const entry = s.linked.find_entry(name);
  if (entry.function == nullptr)
    return tl::unexpected(Failure{device::Status::not_found, fmt::format("there is no kernel '{}'", name)});
  auto made = make_kernel(s.linked, entry, s.isa);
  if (!made) return tl::unexpected(failure(std::move(made.error())));
  return s.kernels.emplace(std::string(name), std::move(*made)).first->second.get();
}

device::FunctionInfo Program::info(Kernel const& kernel) const { return kernel.info; }

device::Range Program::global(std::string_view name) const { return state_->linked.global(name); }

} // namespace pegasus::software
