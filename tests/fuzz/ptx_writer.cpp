// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

std::string PtxWriter::reg(char kind) { return fmt::format("%{}{}", kind, pick(count_of(kind))); }

std::string PtxWriter::value(char kind) {
  static constexpr std::string_view whole =
      "0 1 -1 2 5 7 31 32 33 63 64 255 256 0x7fff 0x8000 0xffff 0x7fffffff 0x80000000 0xffffffff";
  static constexpr std::string_view singles =
      "0f3f800000 0f00000000 0f80000000 0f7f800000 0f7fc00000 0f00000001";
  static constexpr std::string_view doubles =
      "0d3ff0000000000000 0d8000000000000000 0d7ff0000000000000 0d7ff8000000000001 0x7fffffffffffffff";
  unsigned const choice = pick(16);
  if (kind == 'i') return fmt::format("{}", take<std::uint8_t>());
  if (choice < 12) return reg(kind);
  if (kind == 'p') return fmt::format("!{}", reg(kind));
  if (choice == 12 && kind == 'r') return std::string(pick(singles));
  if (choice == 12 && kind == 'd') return std::string(pick(doubles));
  return std::string(pick(whole));
}

std::string PtxWriter::guard() {
  unsigned const choice = pick(8);
  if (choice < 6) return {};
  return fmt::format("@{}{} ", choice == 7 ? "!" : "", reg('p'));
}

} // namespace pegasus::fuzz
