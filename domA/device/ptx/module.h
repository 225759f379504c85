// SPDX-License-Identifier: Apache-2.0
// Parsed PTX: syntax only. The parser fills it, exec/ lowers it. Source: PTX ISA 9.0, chapters 4 (syntax), 5
// (state spaces, types, variables), 7 (functions), 11 (directives). All string_views point into Module::text
// or Module::names, which own every byte: a Module may be moved freely.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ptx {

enum class Space : std::uint8_t { none, reg, param, local, shared, constant, global };

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
};

[[nodiscard]] std::uint32_t bytes_of(Type); // pred: 1, none: 0

// A part of an initializer that is the address of a symbol: the low `bytes` bytes of (address + addend) >>
// shift are stored `offset` bytes into the variable. Adjacent bytes written as 0xFF(sym), 0xFF00(sym), ...
// are one Relocation.
struct Relocation {
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint32_t shift; // bits; 0 except for an incomplete run of masked bytes
  std::string_view symbol;
  std::int64_t addend;
  bool generic; // generic(symbol): the address in the generic space
};

// A variable in .global, .const, .shared, .local or .param space, or a parameter of a .func in .reg
// space. The register of the latter is also in Function::registers (returns first, then parameters,
// before all other registers).
struct Variable {
  static constexpr std::uint32_t no_register = 0xffffffff;
  std::string_view name;
  Space space = Space::none;
  Type type = Type::none;   // element type
  std::uint32_t vector = 1; // .v2, .v4
  std::uint32_t align = 1;  // explicit, or the natural alignment of the element (vector)
  std::uint64_t bytes = 0;  // whole variable; 0 for an array of unknown size (extern shared)
  bool external = false, visible = false, weak = false, common = false;
  bool managed = false;              // .attribute(.managed)
  bool opaque = false;               // .texref, .samplerref, .surfref: type is b64
  std::uint32_t reg = no_register;   // of a .reg parameter of a function with a body: its register
  std::vector<std::uint8_t> initial; // empty: all zero; otherwise `bytes` long
  std::vector<Relocation> relocations;
  std::uint32_t line = 0;
};

// Ranges (%r<9>) are expanded. A vector register (.reg .v4 .f32 v) is that many consecutive registers; `v.y`
// is the second. Registers of the same name and type in scopes that do not overlap share one entry: PTX gives
// them no initial value.
struct Register {
  static constexpr std::uint32_t unnumbered = 0xffffffff;
  std::string_view name; // as declared, with the leading %; of a range the prefix (%r)
  std::uint32_t number;  // in its range or vector
  Type type;
};

struct Operand {
  enum class Kind : std::uint8_t {
    // index into Function::registers; `symbol`: a video instruction's selector (b0, h1, b3210) or empty
    reg,
    integer, // bits (two's complement)
    real,    // bits: an f64 (decimal or 0d literal) or an f32 (0f literal), see `single`
    // [base + offset]: base is `reg` (reg_base), `symbol`, or absent (absolute). `elements`: the rest inside
    // the brackets: [tex, {x, y}] has one element, a vector; [tex, sampler, {x, y}] has two
    address,
    symbol,  // a variable's or function's name (address of), with `offset`
    special, // a special register; `symbol` is its name with % (and .x)
    label,   // a branch target: index into Function::instructions (their count: the end); `symbol`: its name
    vector,  // {a, b, ...}: `elements`; also call argument lists "(a, b)"
    discard, // _
  };
  Kind kind = Kind::discard;
  bool negated = false;  // predicate operand !p, or -a of a video instruction
  bool reg_base = false; // address: base is register `reg`
  bool single = false;   // real: bits are an f32's
  std::uint32_t reg = 0;
  std::uint32_t target = 0; // label
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string_view symbol;
  std::vector<Operand> elements;
};

struct Instruction {
  static constexpr std::uint32_t no_guard = 0xffffffff;
  std::uint32_t guard = no_guard; // register index of @p
  bool guard_negated = false;
  std::string_view mnemonic;               // "ld", "mad", "call", ...
  std::vector<std::string_view> modifiers; // "lo", "s32", "global", "v4", in order, without dots
  std::vector<Operand> operands;   // in source order; "d|p" is two operands with `second_destination` set
  bool second_destination = false; // operands[0] | operands[1] are both destinations (setp, shfl, match)
  std::uint32_t line = 0;
};
// `call`: the operands are [vector of returns (may be empty)], callee (symbol or reg), [vector of arguments
// (may be empty)], then, for an indirect call, the name of the prototype or target list as a symbol.
// `brx.idx`: index, symbol of the list. An array element as an operand (ld.global.u32 r, a[2]) is an address
// or, with mov, a symbol, with its offset in bytes.

struct LabelList { // .branchtargets / .calltargets
  std::string_view name;
  std::vector<std::string_view> entries;
  std::vector<std::uint32_t> targets; // .branchtargets: resolved to instruction indices
};

struct Prototype { // .callprototype
  std::string_view name;
  std::vector<Variable> returns, parameters;
};

struct Function {
  std::string_view name;
  bool entry = false, external = false, visible = false, weak = false;
  std::vector<Variable> returns;    // space param or reg
  std::vector<Variable> parameters; // in order; offsets follow from align and bytes
  std::vector<Register> registers;
  // .local, .shared, .param declared inside the body. Scopes are flattened and names are unique: a variable
  // that shadows an outer one gets a separate entry and a name with '#', and its uses are resolved. Equal
  // .params of scopes that do not overlap share one entry.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<LabelList> label_lists;
  std::vector<Prototype> prototypes;
  std::uint32_t max_threads[3] = {0, 0, 0};      // .maxntid, 0: absent; dimensions left out are 1
  std::uint32_t required_threads[3] = {0, 0, 0}; // .reqntid
  std::uint32_t max_registers = 0;               // .maxnreg
  bool defined = false;                          // has a body
  std::uint32_t line = 0;
};

struct Alias { // .alias: `name` is another name of the function `target`
  std::string_view name, target;
  std::uint32_t line = 0;
};

// A function or variable that is declared and defined has one entry: the definition.
struct Module {
  std::shared_ptr<std::string const> text;
  std::shared_ptr<std::deque<std::string> const> names; // names that the parser generated
  std::uint32_t version = 0;                            // PTX ISA, major * 10 + minor
  std::uint32_t target = 0;                             // sm_75 -> 75
  bool target_exact = false; // sm_90a, sm_100f: for that architecture or family only
  std::uint32_t address_bits = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Alias> aliases;
};

struct Error {
  std::uint32_t line = 0;
  // What is wrong, with the offending token and, if it is something unsupported, its name.
  std::string message;
};

} // namespace pegasus::ptx
