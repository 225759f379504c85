// SPDX-License-Identifier: Apache-2.0
// One function from PTX to warp-wide code. Ops are first made with virtual registers (numbers from 1; 0:
// none), in draft; registers.h then gives them places in the frame.
//
// An instruction that cannot be lowered sets the error; everything after that is harmless and the error is
// returned.
#pragma once

#include "domA/device/software/exec/catalogue.h"
#include "domA/device/software/exec/compile/cfg.h"
#include "domA/device/software/exec/compile/reach.h"
#include "domA/device/software/exec/kernel.h"

#include <map>
#include <string>

namespace pegasus::software {

// What the functions of one kernel have in common while they are lowered.
struct KernelBuild {
  Linked const& linked;
  Reach const& reach;
  Kernel& kernel;
  Isa isa;
  std::unordered_map<ptx::Function const*, FunctionCode*> code; // of every reachable function
  Effort effort{};
};

inline constexpr std::uint32_t most_register_bytes = 8;
// A value of so many bytes; predicates have no place that a call could copy.
[[nodiscard]] constexpr bool passes_in_register(std::uint32_t bytes) {
  return bytes == 2 || bytes == 4 || bytes == most_register_bytes;
}

// A register before allocation. Constants keep a place of their own; pinned ones, too.
struct VirtualRegister {
  std::uint8_t bytes = 0; // 0: predicate, 2, 4, 8
  bool constant = false, pinned = false;
  std::uint64_t bits = 0;
};

struct Draft {
  Op op; // registers are numbers of virtual registers
  std::vector<std::uint32_t> extra;
  bool extra_defines = false; // extra are destinations
  bool d_is_source = false;   // stores: d is read
  bool merges = false;        // the destination keeps its value in some lanes (behind a guard)
  std::uint32_t target_block = no_block, join_block = no_block;
};

struct DraftFunction {
  std::vector<VirtualRegister> registers{1};
  std::vector<Draft> ops;
  std::vector<std::uint32_t> block_start; // first op of each block
  std::vector<std::vector<std::uint32_t>> block_successors;
  std::vector<CallSite> calls; // registers in Passing::offset are virtual
  std::vector<std::vector<std::uint32_t>> jump_blocks;
  std::vector<Passing> parameters, returns;
  std::uint32_t local_bytes = 0;
};

// The parts of an instruction's name.
class Modifiers {
public:
  explicit Modifiers(ptx::Instruction const&);
  [[nodiscard]] bool has(std::string_view) const;
  [[nodiscard]] ptx::Type type(std::size_t i = 0) const {
    return i < types.size() ? types[i] : ptx::Type::none;
  }
  std::vector<ptx::Type> types;
  std::vector<std::string_view> words; // the others, without rounding, ftz and sat, in order
  Round round = Round::nearest;
  std::string_view integral; // rni, rzi, rmi, rpi
  bool ftz = false, sat = false;
};
[[nodiscard]] ptx::Type type_named(std::string_view);
[[nodiscard]] std::uint32_t width_of(ptx::Type); // of a register that holds it: 0 (predicate), 2, 4, 8
[[nodiscard]] bool is_float(ptx::Type);
[[nodiscard]] bool is_signed(ptx::Type);
[[nodiscard]] ptx::Type bits_type(std::uint32_t bytes); // b16, b32, b64; pred for 0
[[nodiscard]] std::string_view name_of(ptx::Type);

class Lowering {
public:
  Lowering(KernelBuild& build, Symbol const& function)
      : build_(build), symbol_(function), f_(*function.function), scope_(build.linked, function) {}
  // The error names the PTX line.
  [[nodiscard]] std::optional<BuildError> run(DraftFunction&);

private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;
  using Type = ptx::Type;
  using Method = void (Lowering::*)(Instruction const&, Modifiers const&);
  struct Rule {
    std::string_view mnemonic;
    Method method;
    std::string_view shape; // for simple(): "destination:sources", see lower_arithmetic.cpp
  };
  static Rule const* rule_for(std::string_view mnemonic);
  static Rule const rules[];

  // lower.cpp
  void fail(device::Status, std::string what);
  void unsupported(Instruction const&, std::string_view why = {});
  void invalid(std::string what) { fail(device::Status::invalid_ptx, std::move(what)); }
  void place_locals();
  void lower_block(std::uint32_t block);
  void lower(Instruction const&);
  void lower_flow(Instruction const&, Flow);
  std::uint32_t guard_copy(Instruction const&);
  void trap(Instruction const&, Modifiers const&);

  // lower_operands.cpp
  std::uint32_t fresh(std::uint32_t bytes);
  std::uint32_t constant(std::uint32_t bytes, std::uint64_t bits);
  Draft& emit(Handler, std::uint32_t d, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);
  Draft& emit(std::string const& key, std::uint32_t d, std::uint32_t a = 0, std::uint32_t b = 0,
              std::uint32_t c = 0);
  Operand const& operand(Instruction const&, std::size_t i);
  std::uint32_t source(Operand const&, Type); // a register exactly as wide as the type
  std::uint32_t source_of_width(Operand const&, std::uint32_t bytes); // any type of that width
  std::uint32_t source_loose(Operand const&, Type);                   // a wider register is cut
  std::uint32_t destination(Operand const&, Type);
  std::uint32_t destination_of_width(Operand const&, std::uint32_t bytes);
  // A destination that may be wider than the type: computes into `natural`, widen() then finishes.
  struct Loose {
    std::uint32_t natural, real;
  };
  Loose destination_loose(Operand const&, Type);
  void widen(Loose const&, Type);
  std::uint32_t register_width(std::uint32_t r) const { return draft_->registers[r].bytes; }
  std::uint32_t address_of(Operand const&, std::uint32_t bytes);
  std::uint32_t special(Operand const&, std::uint32_t bytes);
  std::uint64_t immediate(Operand const&, Type);

  // lower_arithmetic.cpp
  void simple(Instruction const&, Modifiers const&);
  void lop3(Instruction const&, Modifiers const&);
  void raw_key(Instruction const&, Modifiers const&); // dp4a, dp2a, vabsdiff
  void slct(Instruction const&, Modifiers const&);

  // lower_compare.cpp
  std::uint32_t compare(Instruction const&, Modifiers const&, Type, std::size_t first, std::string_view half);
  std::uint32_t combine(Modifiers const&, std::uint32_t truth, std::uint32_t with);
  void setp(Instruction const&, Modifiers const&);
  void set(Instruction const&, Modifiers const&);

  // lower_convert.cpp
  void cvt(Instruction const&, Modifiers const&);
  void mov(Instruction const&, Modifiers const&);
  void pack(Operand const& to, Operand const& from, Type);
  void unpack(Operand const& to, Operand const& from, Type);
  void cvta(Instruction const&, Modifiers const&);
  void isspacep(Instruction const&, Modifiers const&);

  // lower_memory.cpp
  struct Where {
    Window window = Window::generic;
    std::uint32_t base = 0; // register or 0
    std::uint64_t imm = 0;
    bool kernel_parameter = false; // imm is an offset in the parameters
  };
  bool memory_words(Instruction const&, ptx::Space&, std::uint32_t& count);
  Where where(Operand const&, ptx::Space);
  void set_address(Op&, Where const&);
  void ld(Instruction const&, Modifiers const&);
  void st(Instruction const&, Modifiers const&);
  bool parameter(Where const&, Operand const&, Type, std::uint32_t count);
  void atom(Instruction const&, Modifiers const&);
  void nothing(Instruction const&, Modifiers const&) {}

  // lower_warp.cpp
  void shfl(Instruction const&, Modifiers const&);
  void vote(Instruction const&, Modifiers const&);
  void match(Instruction const&, Modifiers const&);
  void redux(Instruction const&, Modifiers const&);
  void barrier(Instruction const&, Modifiers const&);
  void activemask(Instruction const&, Modifiers const&);
  void exchange(Instruction const&, Exchange, std::uint32_t d, std::uint32_t d2, std::uint32_t a,
                std::uint32_t b, std::uint32_t c, Operand const* members);
  void nanosleep(Instruction const&, Modifiers const&);

  // lower_calls.cpp
  void call(Instruction const&, Modifiers const&);
  bool passing(Operand const& list, std::vector<Passing>&, bool returns);
  void intrinsic(std::string_view name, CallSite&&);

  KernelBuild& build_;
  Symbol symbol_;
  ptx::Function const& f_;
  DraftFunction* draft_ = nullptr;
  Cfg cfg_;
  std::uint32_t line_ = 0;
  Rule const* rule_ = nullptr;
  std::optional<BuildError> error_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> constants_;
  std::unordered_map<ptx::Variable const*, std::uint32_t> local_offset_;     // of .local and .param variables
  std::unordered_map<ptx::Variable const*, std::uint32_t> parameter_offset_; // of an entry's parameters
  Scope scope_;
};

} // namespace pegasus::software
