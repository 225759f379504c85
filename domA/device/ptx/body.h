// SPDX-License-Identifier: Apache-2.0
// One function's body: its blocks, declarations, labels and instructions. PTX ISA 9.0, sections 4.3, 4.6, 7
// and 9. Blocks are kept on a list, not on the call stack: no text makes the parser recurse.
#pragma once

#include "domA/device/ptx/declaration.h"
#include "domA/device/ptx/module.h"
#include "domA/device/ptx/reader.h"
#include "domA/device/ptx/scopes.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ptx {

class Body {
public:
  // For a variable outside the function: its element size; nullopt if the module has no such name. `names`
  // owns the generated names.
  using ModuleNames = std::function<std::optional<std::uint32_t>(std::string_view)>;
  Body(Reader& in, Function& function, ModuleNames module_names, std::deque<std::string>& names)
      : in_(in), function_(function), module_names_(std::move(module_names)), names_(names) {}

  // Parses from the `{` of the body to its `}`.
  [[nodiscard]] bool parse();

private:
  static constexpr std::size_t max_registers = std::size_t{1} << 22; // of one function

  // body.cpp: statements
  bool declare_parameters();
  bool statement();
  bool directive();
  bool labelled(std::string_view name, std::uint32_t line);
  bool open_block();
  bool close_block();
  void resolve(std::size_t first_pending);

  // body_declarations.cpp
  bool declaration();
  bool registers(Declaration const&);
  bool add_registers(Declaration const&, Binding, std::string_view name);
  bool variables(Declaration const&, bool external);
  bool add_variable(Variable);
  bool label_list(std::string_view name, bool branches);
  bool prototype(std::string_view name);
  bool declare(std::string_view name, Binding);
  // Returns `name`, or a name derived from it if the function already has it.
  std::string_view own_name(std::string_view name);

  // instruction.cpp
  bool instruction(Token mnemonic, Instruction&&);
  bool guard(Instruction&);
  bool call();
  bool operand_list(Operand&, std::string_view closing);

  // operand.cpp
  bool operand(Operand&, bool branch);
  bool simple(Operand&);
  bool named(Operand&);
  bool bound(Operand&, std::string_view name, Binding const&);
  bool component(Operand&, Binding const&);
  bool array_element(Operand&, std::uint32_t element_bytes);
  bool special(Operand&, std::string_view name);
  bool address(Operand&);
  bool offset(Operand&);
  bool label(Operand&);
  void immediate(Operand&, Constant);

  struct Pending {
    std::string_view name;
    std::uint32_t line;
    bool list;           // an entry of a .branchtargets, not an operand
    std::uint32_t index; // of the instruction or of the list
    std::uint32_t entry; // of the operand or in the list
  };
  struct Block {
    std::size_t first_pending;
    std::map<std::string_view, std::uint32_t> labels;
  };

  Reader& in_;
  Function& function_;
  ModuleNames module_names_;
  std::deque<std::string>& names_;
  Scopes scopes_;
  std::vector<Block> blocks_;
  std::vector<Pending> pending_;                       // labels that are used and not resolved yet
  std::set<std::string_view> taken_;                   // names of the function's variables, lists, prototypes
  std::map<std::string_view, Binding> free_registers_; // of closed blocks
  std::map<std::string_view, std::uint32_t> free_params_;
  std::vector<Operand> operands_; // of the current instruction; reused
  std::vector<std::string_view> modifiers_;
};

} // namespace pegasus::ptx
