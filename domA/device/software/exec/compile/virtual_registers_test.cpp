// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/virtual_registers.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;

namespace {

struct Registers {
  std::vector<VirtualRegister> list{1}; // of a draft
  VirtualRegisters registers{list};
};

pegasus::ptx::Operand operand(std::uint32_t index) {
  pegasus::ptx::Operand o;
  o.kind = pegasus::ptx::Operand::Kind::reg;
  o.reg = index;
  return o;
}

} // namespace

TEST_CASE("declared registers are numbered from 1, and others are none of them") {
  Registers r;
  r.registers.declare(4);
  r.registers.declare(0);
  std::uint32_t const temporary = r.registers.fresh(8);
  CHECK(r.registers.declared(0) == 1);
  CHECK(r.registers.declared(operand(1)) == 2);
  CHECK(r.registers.declared(2) == 0);
  CHECK(r.registers.declared(0xffffffff) == 0);
  CHECK(r.registers.declared(pegasus::ptx::Operand{}) == 0);
  CHECK((r.registers.width(1) == 4 && r.registers.width(2) == 0 && r.registers.width(temporary) == 8));
}

TEST_CASE("a constant has one register for each width, cut to that width") {
  Registers r;
  std::uint32_t const one = r.registers.constant(4, 1);
  CHECK(r.registers.constant(4, 0x7'0000'0001) == one);
  CHECK(r.registers.constant(8, 1) != one);
  CHECK(r.registers.constant(0, 6) == r.registers.constant(0, 1));
  CHECK((r.list[one].constant && r.list[one].bits == 1));
}

TEST_CASE("the newest temporary is the last register, unless that is a constant") {
  Registers r;
  CHECK(!r.registers.is_newest_temporary(0));
  std::uint32_t const first = r.registers.fresh(4);
  CHECK(r.registers.is_newest_temporary(first));
  std::uint32_t const constant = r.registers.constant(4, 5);
  CHECK(!r.registers.is_newest_temporary(first));
  CHECK(!r.registers.is_newest_temporary(constant));
}
