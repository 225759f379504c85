// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/body.h"

#include "domA/device/ptx/test_text.h"

namespace pegasus::ptx {
namespace {
using namespace test;

std::uint32_t first_reg(Function const& function, std::size_t instruction) {
  return function.instructions.at(instruction).operands.at(0).reg;
}

TEST_CASE("an inner register hides the outer one, and ranges nest") {
  One const found =
      one("mov.b32 %r1, 0; { .reg .f32 %r1; mov.f32 %r1, 1.0; { .reg .b32 %r<3>; mov.b32 %r1, 2; } "
          "mov.b32 %r2, 3; } mov.b32 %r1, 4;");
  Function const& f = found.function();
  CHECK(first_reg(f, 0) == 5);
  CHECK(f.registers[first_reg(f, 1)].type == Type::f32);
  CHECK(first_reg(f, 2) > first_reg(f, 1));
  CHECK(first_reg(f, 3) == 6);
  CHECK(first_reg(f, 4) == 5);
}

TEST_CASE("%r12 can be of %r<n> or of %r1<n>") {
  One const found =
      one(".reg .b32 %q<3>; .reg .b32 %q1<5>; mov.b32 %q2, 0; mov.b32 %q14, 0; mov.b32 %q11, 0;");
  Function const& f = found.function();
  CHECK(first_reg(f, 0) == 30);
  CHECK(first_reg(f, 1) == 35);
  CHECK(first_reg(f, 2) == 32);
  CHECK_THAT(refused(kernel_with(".reg .b32 %q<3>; mov.b32 %q01, 0; mov.b32 %q3, 0;")).message,
             Catch::Contains("'%q3' is not declared"));
}

TEST_CASE("registers and .params of blocks that follow each other are shared, others are not") {
  One const found = one(
      "{ .reg .pred q; .param .b64 a; .local .b32 l; st.param.b64 [a], 1; @q ret; }\n"
      "{ .reg .pred q; .param .b64 a; .local .b32 l; st.param.b64 [a], 1; @q ret; ld.local.b32 %r1, [l]; }\n"
      "{ .reg .b32 q; .param .b32 a; st.param.b32 [a], q; }");
  Function const& f = found.function();
  CHECK(f.instructions[1].guard == f.instructions[3].guard);
  CHECK(f.instructions[5].operands[1].reg != f.instructions[1].guard);
  REQUIRE(f.variables.size() == 4); // a, l, the other l, a of another type
  CHECK(f.instructions[0].operands[0].symbol == f.instructions[2].operands[0].symbol);
  CHECK(f.instructions[4].operands[1].symbol != "l");
  CHECK(f.instructions[4].operands[1].symbol == f.variables[2].name);
  CHECK(f.instructions[5].operands[0].symbol == f.variables[3].name);
}

TEST_CASE("nested blocks with the same names do not share") {
  One const found =
      one("{ .reg .b32 x; .param .b32 a; { .reg .b32 x; .param .b32 a; mov.b32 x, [a]; } mov.b32 x, [a]; }");
  Function const& f = found.function();
  CHECK(first_reg(f, 0) != first_reg(f, 1));
  CHECK(f.instructions[0].operands[1].symbol != f.instructions[1].operands[1].symbol);
}

TEST_CASE("a local variable that hides one of the module has a name of its own") {
  One const found = one("{ .shared .u32 v; mov.u64 %rd1, v; } mov.u64 %rd1, v;", ".global .u32 v;");
  Function const& f = found.function();
  CHECK(f.instructions[0].operands[1].symbol == f.variables[0].name);
  CHECK(f.instructions[0].operands[1].symbol != "v");
  CHECK(f.instructions[1].operands[1].symbol == "v");
}

TEST_CASE("labels belong to their block; forward and backward, out of blocks too") {
  One const found = one("A: bra A; { A: bra A; bra B; bra C; C: } bra A; { A: bra A; bra B; } B: ret;");
  Function const& f = found.function();
  std::vector<std::uint32_t> targets;
  for (Instruction const& i : f.instructions)
    if (i.mnemonic == "bra") targets.push_back(i.operands[0].target);
  CHECK(targets == std::vector<std::uint32_t>{0, 1, 7, 4, 0, 5, 7});
}

TEST_CASE("a label at the very end is behind the last instruction") {
  Module const module = parsed(module_with(".entry k { bra END; END: }"));
  CHECK(module.functions[0].instructions[0].operands[0].target == 1);
}

TEST_CASE("views survive moving the module") {
  Module first = parsed(kernel_with("{ .local .b32 x; } { .local .b32 x; st.local.b32 [x], 1; }"));
  Module const second = std::move(first);
  CHECK(second.functions[0].name == "k");
  CHECK(second.functions[0].instructions[0].operands[0].symbol == second.functions[0].variables[1].name);
}

TEST_CASE("blocks may be nested, within a bound, without a stack's help") {
  auto const nested = [](std::size_t depth) {
    return kernel_with(std::string(depth, '{') + "ret;" + std::string(depth, '}'));
  };
  CHECK(parsed(nested(200)).functions[0].instructions.size() == 2);
  CHECK_THAT(refused(nested(1000000)).message, Catch::Contains("nested"));
}

TEST_CASE("every shorter text is refused or read, never more") {
  std::string const text = kernel_with(".shared .align 8 .b8 s[8]; .local .v2 .f32 d[2]; { .param .b64 a; "
                                       "st.param.b64 [a+0], %rd1; call.uni (%r1), f, (a); }"
                                       "L: @!%p1 bra L; setp.lt.s32 %p1|%p2, %r1, -(3+4)*2; t: "
                                       ".branchtargets L; tex.2d.v4.f32.f32 {%f1,_,_,_}, [%rd1, {%f1,%f2}];"
                                       ".loc 1 2 3, function_name x, inlined_at 1 2 3\n",
                                       ".global .u64 v[2][1] = {{generic(v)+8}, {0xFFFFFFFFFFFFFFFF(v)}}; "
                                       ".extern .func (.param .b32 r) f(.param .b64 a);");
  parsed(text);
  for (std::size_t length = 0; length < text.size() - 2; ++length) {
    auto const module = parse(text.substr(0, length));
    INFO(text.substr(0, length));
    if (module)
      CHECK((length < 250 && module->functions.size() <= 1)); // only between the statements of the header
    else
      CHECK_FALSE(module.error().message.empty());
  }
}

TEST_CASE("one changed byte gives texts or a message") {
  std::string const text =
      kernel_with("{ .param .b64 a; st.param.b64 [a+0], %rd1; call.uni (%r1), f, (a); } L: bra L;",
                  ".global .u64 v[2] = {generic(v)+8, 0xFFFFFFFFFFFFFFFF(v)};");
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (char const c : {'\0', '"', '{', '}', '(', '.', '%', '9', ';', '/', '<', '[', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      auto const module = parse(std::move(changed));
      CHECK((module.has_value() || !module.error().message.empty()));
    }
  }
}

TEST_CASE("texts made to be slow or large are not") {
  std::string many;
  SECTION("labels used and never defined") {
    for (int i = 0; i < 100000; ++i)
      many += "bra L" + std::to_string(i) + ";";
    CHECK_THAT(refused(kernel_with(many)).message, Catch::Contains("'L0' is not defined"));
  }
  SECTION("labels used deep inside") {
    many = std::string(250, '{');
    for (int i = 0; i < 50000; ++i)
      many += "bra L;";
    many += std::string(250, '}') + "L:";
    CHECK(parsed(kernel_with(many)).functions[0].instructions.size() == 50001);
  }
  SECTION("ranges declared again and again") {
    for (int i = 0; i < 1000; ++i)
      many += "{.reg .b32 x<10000" + std::to_string(i) + ">;}";
    CHECK_THAT(refused(kernel_with(many)).message, Catch::Contains("registers"));
  }
  SECTION("a range in each of many functions") {
    for (int i = 0; i < 1000; ++i)
      many += ".func f" + std::to_string(i) + "{.reg .b32 x<4000000>;}";
    CHECK_THAT(refused(module_with(many)).message, Catch::Contains("too large"));
  }
  SECTION("large arrays") {
    for (int i = 0; i < 1000; ++i)
      many += ".global .b8 v" + std::to_string(i) + "[100000000]={1};";
    CHECK_THAT(refused(module_with(many)).message, Catch::Contains("too large"));
  }
}

} // namespace
} // namespace pegasus::ptx
