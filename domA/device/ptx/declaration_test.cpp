// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/declaration.h"

#include "domA/device/ptx/test_text.h"

namespace pegasus::ptx {
namespace {
using namespace test;

TEST_CASE("variables: space, type, size, alignment, linkage") {
  struct Row {
    char const* text;
    Space space;
    Type type;
    std::uint32_t vector;
    std::uint32_t align;
    std::uint64_t bytes;
  };
  auto const row = GENERATE(values<Row>({
      {".global .u32 v;", Space::global, Type::u32, 1, 4, 4},
      {".global .align 16 .b8 v[40];", Space::global, Type::b8, 1, 16, 40},
      {".global .b8 .align 16 v[40];", Space::global, Type::b8, 1, 16, 40},
      {".const .align 4 .f32 v[3][5];", Space::constant, Type::f32, 1, 4, 60},
      {".const[2] .f64 v;", Space::constant, Type::f64, 1, 8, 8},
      {".global .v4 .f32 v[2];", Space::global, Type::f32, 4, 16, 32},
      {".extern .shared .align 16 .b8 v[];", Space::shared, Type::b8, 1, 16, 0},
      {".shared .align 4 .b8 v[4*8+1];", Space::shared, Type::b8, 1, 4, 33},
      {".global .b128 v;", Space::global, Type::b128, 1, 16, 16},
      {".visible .global .attribute(.managed) .align 4 .u32 v;", Space::global, Type::u32, 1, 4, 4},
      {".global .attribute(.unified(1,2)) .u32 v;", Space::global, Type::u32, 1, 4, 4},
      {".global .texref v;", Space::global, Type::b64, 1, 8, 8},
      {".global .samplerref v = { addr_mode_0 = wrap, filter_mode = nearest };", Space::global, Type::b64, 1,
       8, 8},
  }));
  INFO(row.text);
  Module const module = parsed(module_with(row.text));
  REQUIRE(module.variables.size() == 1);
  Variable const& v = module.variables[0];
  CHECK(v.name == "v");
  CHECK(v.space == row.space);
  CHECK(v.type == row.type);
  CHECK(v.vector == row.vector);
  CHECK(v.align == row.align);
  CHECK(v.bytes == row.bytes);
  std::string const text = row.text;
  CHECK(v.external == (text.find(".extern") != text.npos));
  CHECK(v.visible == (text.find(".visible") != text.npos));
  CHECK(v.managed == (text.find(".managed") != text.npos));
  CHECK(v.opaque == (text.find("ref ") != text.npos));
}

TEST_CASE("several in one declaration, and declared then defined") {
  Module const module =
      parsed(module_with(".global .u32 a, b[2] = {1,2}, c;\n.extern .global .u32 d;\n"
                         ".visible .global .u32 d = 5;\n.extern .global .u32 d;\n"
                         ".common .global .u32 e;\n.common .global .u32 e[2];\n.weak .global .u32 f;"));
  REQUIRE(module.variables.size() == 6);
  CHECK(module.variables[1].bytes == 8);
  CHECK_FALSE(module.variables[3].external);
  CHECK(module.variables[3].initial.size() == 4);
  CHECK(module.variables[4].bytes == 8);
  CHECK(module.variables[5].weak);
}

TEST_CASE("parameters of both front ends") {
  Module const module = parsed(module_with(
      ".visible .entry old(\n.param .u64 old_param_0,\n.param .align 8 .b8 old_param_1[40],\n.param .f64 "
      "old_param_2\n)\n"
      ".maxntid 256, 2, 3\n.minnctapersm 2\n.maxnreg 64\n{ ret; }\n"
      ".visible .entry fresh(.param .u64 .ptr .align 1 a, .param .u64 .ptr .global .align 4 b, .param .b32 c)"
      ".maxntid 256 .reqntid 8,8 .pragma \"nounroll\"; .reqnctapercluster 2,1,1 .explicitcluster { ret; }\n"
      ".entry none { ret; } .entry empty() { }"));
  REQUIRE(module.functions.size() == 4);
  Function const& old = module.functions[0];
  CHECK(old.entry);
  CHECK(old.visible);
  CHECK(old.defined);
  REQUIRE(old.parameters.size() == 3);
  CHECK(old.parameters[1].bytes == 40);
  CHECK(old.parameters[1].align == 8);
  CHECK(old.max_threads[1] == 2);
  CHECK(old.max_threads[2] == 3);
  CHECK(old.max_registers == 64);
  Function const& fresh = module.functions[1];
  CHECK(fresh.parameters[0].align == 8); // the alignment of 1 is that of its target
  CHECK(fresh.parameters[1].name == "b");
  CHECK(fresh.max_threads[0] == 256);
  CHECK(fresh.max_threads[1] == 1);
  CHECK(fresh.required_threads[1] == 8);
  CHECK(fresh.required_threads[2] == 1);
  CHECK(module.functions[3].instructions.empty());
}

TEST_CASE("functions: declared, defined, external, weak, with returns, with register parameters") {
  Module const module = parsed(module_with(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".func (.param .b32 func_retval0) f(.param .b64 f_0);\n"
      ".weak .func (.param .b32 func_retval0) f(.param .b64 f_0) { ret; }\n"
      ".func (.reg .u32 res) g(.reg .u32 x, .reg .f32 y) { .reg .u32 t; add.u32 res, x, 1; ret; }\n"
      ".func stop .noreturn { trap; }\n.func plain;\n.alias h, f;\n.extern .func unsized(.param .b8 "
      "v[]);\n"));
  REQUIRE(module.functions.size() == 6);
  CHECK(module.functions[0].external);
  CHECK_FALSE(module.functions[0].defined);
  CHECK(module.functions[0].returns.size() == 1);
  CHECK(module.functions[1].defined);
  CHECK(module.functions[1].weak);
  Function const& g = module.functions[2];
  REQUIRE(g.registers.size() == 4);
  CHECK(g.registers[0].name == "res");
  CHECK(g.registers[2].type == Type::f32);
  CHECK(g.instructions[0].operands[1].reg == 1);
  CHECK(g.parameters[1].space == Space::reg);
  CHECK(module.functions[3].instructions.size() == 1);
  REQUIRE(module.aliases.size() == 1);
  CHECK(module.aliases[0].name == "h");
  CHECK(module.aliases[0].target == "f");
  CHECK(module.functions[5].parameters[0].bytes == 0);
}

TEST_CASE("head of the module") {
  Module const module =
      parsed("// a comment\n.version 8.7\n.target sm_90a, debug, texmode_independent\n.address_size 64\n"
             ".file 1 \"a.cu\"\n.file 2 \"b.cu\", 17, 4\n.pragma \"nounroll\";\n@@DWARF .byte 1\n"
             ".section .debug_abbrev { .b8 1 .b32 .debug_str+4 \n $L__a: .b8 2,3 }\n;");
  CHECK(module.version == 87);
  CHECK(module.target == 90);
  CHECK(module.target_exact);
  CHECK(module.address_bits == 64);
  CHECK_FALSE(parsed(".version 6.0 .target sm_75 .address_size 32").target_exact);
}

TEST_CASE("wrong declarations") {
  struct Row {
    char const* text;
    char const* message;
  };
  auto const row = GENERATE(values<Row>({
      {".global .u32;", "expected a name, found ';'"},
      {".global v;", "expected a type, found 'v'"},
      {".global .u33 v;", "found '.u33'"},
      {".global .u32 v", "expected ';', found the end of the text"},
      {".global .align 3 .u32 v;", "power of two"},
      {".global .align 0 .u32 v;", "power of two"},
      {".global .align x .u32 v;", "an alignment"},
      {".global .pred v;", ".pred"},
      {".global .u32 v[2][];", "only the first"},
      {".global .u32 v[1.5];", "not whole"},
      {".global .u32 v[9999999999999];", "too large"},
      {".global .u32 v[1000000][1000000];", "too large"},
      {".global .u32 v[-1];", "too large"},
      {".global .u32 v; .global .u32 v;", "'v' is defined twice"},
      {".func v; .global .u32 v;", "is a function already"},
      {".global .u32 v; .func v;", "is a variable already"},
      {".func f { } .func f { }", "'f' is defined twice"},
      {".reg .u32 v;", "outside of functions"},
      {".local .u32 v;", "outside of functions"},
      {".param .u32 v;", "outside of functions"},
      {".entry k(.global .u32 a) { }", ".param or .reg"},
      {".entry k(.param .u32 a", "','"},
      {".entry k(.param .u32 a .param .u32 b) { }", "','"},
      {".entry k(.param .u32 a, .param .u32 a) { }", "'a' is declared twice"},
      {".entry k .maxntid 1,2,3,4 { }", "three dimensions"},
      {".entry k .maxntid { }", "a number"},
      {".entry k .maxntid 5000000000 { }", "too large"},
      {".entry k .wrong { }", "found '.wrong'"},
      {".entry { }", "a function's name"},
      {".global .attribute(.managed .u32 v;", "')'"},
      {".section .debug {", "'}'"},
      {".alias a b;", "','"},
      {".target x86", "not a target"},
      {".target sm_;", "not a target"},
      {".target sm_75b;", "not a target"},
      {".address_size 16", "32 or 64"},
      {"add.s32 a, b, c;", "a directive"},
      {"}", "a directive"},
  }));
  INFO(row.text);
  Error const error = refused(module_with(row.text));
  CHECK_THAT(error.message, Catch::Contains(row.message));
  CHECK(error.line == 4);
}

TEST_CASE("a text must begin with .version and have a .target") {
  CHECK_THAT(refused("").message, Catch::Contains(".version"));
  CHECK_THAT(refused(".target sm_75").message, Catch::Contains(".version"));
  CHECK_THAT(refused(".version 9").message, Catch::Contains("a version"));
  CHECK_THAT(refused(".version 9.12").message, Catch::Contains("a version"));
  CHECK_THAT(refused(".version 9.0").message, Catch::Contains(".target"));
}

} // namespace
} // namespace pegasus::ptx
