// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/virtual_registers.h"

namespace pegasus::software {

void VirtualRegisters::declare(std::uint32_t bytes) {
  ++declared_;
  fresh(bytes);
}

std::uint32_t VirtualRegisters::fresh(std::uint32_t bytes) {
  VirtualRegister v;
  v.bytes = static_cast<std::uint8_t>(bytes);
  registers_.push_back(v);
  return static_cast<std::uint32_t>(registers_.size() - 1);
}

std::uint32_t VirtualRegisters::constant(std::uint32_t bytes, std::uint64_t bits) {
  if (bytes == 2) bits &= 0xffff;
  if (bytes == 4) bits &= 0xffffffff;
  if (bytes == 0) bits = bits != 0;
  auto const [it, is_new] = constants_.try_emplace({bytes, bits}, 0);
  if (is_new) {
    it->second = fresh(bytes);
    registers_[it->second].constant = true;
    registers_[it->second].bits = bits;
  }
  return it->second;
}

} // namespace pegasus::software
