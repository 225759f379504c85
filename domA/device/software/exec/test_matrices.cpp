// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/test_matrices.h"

#include "domA/device/software/exec/test_fixture.h"

#include <fmt/format.h>

namespace pegasus::software::test {

using u32 = std::uint32_t;

std::string register_list(std::size_t first, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}%r{}", i == 0 ? "" : ",", first + i);
  return text + "}";
}

u32 low_bits(u32 value, int width) { return width == 32 ? value : value & ((1u << width) - 1); }

namespace {

void pack(std::vector<u32>& registers, std::size_t first, LaneLayout const& layout, int lane, Bits& from) {
  for (int i = 0; i < layout.count; ++i) {
    int const bit = i * layout.bits;
    registers[(first + static_cast<std::size_t>(bit / 32)) * 32 + static_cast<std::size_t>(lane)] |=
        low_bits(from.at(layout.place(lane, i)), layout.bits) << bit % 32;
  }
}

void unpack(Bits& to, LaneLayout const& layout, int lane, std::vector<u32> const& registers) {
  for (int i = 0; i < layout.count; ++i) {
    int const bit = i * layout.bits;
    u32 const word = registers[static_cast<unsigned>(bit / 32 * 32 + lane)];
    to.at(layout.place(lane, i)) = low_bits(word >> bit % 32, layout.bits);
  }
}

std::string kernel(MmaForm const& f) {
  std::size_t const a = f.a.registers(), b = f.b.registers(), c = f.c.registers(), d = f.d.registers();
  std::string text =
      ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %r<64>, %l; .reg .b64 %p, %q, %o;"
      " mov.u32 %l, %laneid; mul.wide.u32 %o, %l, 4; ld.param.u64 %p, [in]; ld.param.u64 %q, [out];"
      " add.s64 %p, %p, %o; add.s64 %q, %q, %o;\n";
  for (std::size_t i = 0; i < a + b + c; ++i)
    text += fmt::format("ld.global.b32 %r{}, [%p+{}];\n", i, i * 128);
  text += fmt::format("mma.sync.aligned.{} {}, {}, {}, {};\n", f.words, register_list(40, d),
                      register_list(0, a), register_list(a, b), register_list(a + b, c));
  for (std::size_t i = 0; i < d; ++i)
    text += fmt::format("st.global.b32 [%q+{}], %r{};\n", i * 128, 40 + i);
  return text + "ret; }";
}

bool is_quads(MmaForm const& f) { return f.m == 8 && f.k == 4; }
int pair_of(MmaForm const& f, int lane) { return is_quads(f) ? lane % 16 / 4 : 0; }

} // namespace

std::vector<Matrices> drawn(MmaForm const& f, Draw const& factor, Draw const& accumulator) {
  auto const matrix = [](int rows, int columns, Draw const& draw) {
    Bits bits{columns, {}};
    for (int i = 0; i < rows * columns; ++i)
      bits.values.push_back(draw());
    return bits;
  };
  std::vector<Matrices> all;
  for (int p = 0; p < (is_quads(f) ? 4 : 1); ++p)
    all.push_back({matrix(f.m, f.k, factor), matrix(f.k, f.n, factor), matrix(f.m, f.n, accumulator)});
  return all;
}

std::vector<Bits> run_mma(MmaForm const& f, std::vector<Matrices>& in, Isa isa) {
  std::size_t const a = f.a.registers(), b = f.b.registers();
  std::vector<u32> registers((a + b + f.c.registers()) * 32);
  for (int lane = 0; lane < 32; ++lane) {
    Matrices& m = in[static_cast<std::size_t>(pair_of(f, lane))];
    pack(registers, 0, f.a, lane, m.a);
    pack(registers, a, f.b, lane, m.b);
    pack(registers, a + b, f.c, lane, m.c);
  }
  Fixture fixture(with_header(kernel(f), f.target), isa);
  Address const from = fixture.put(registers), to = fixture.put(std::vector<u32>(f.d.registers() * 32));
  fixture.run("k", {1, 1, 1}, {32, 1, 1}, {from, to});
  auto const result = fixture.get<u32>(to, f.d.registers() * 32);
  std::vector<Bits> d(in.size(), {f.n, std::vector<u32>(static_cast<std::size_t>(f.m * f.n))});
  for (int lane = 0; lane < 32; ++lane)
    unpack(d[static_cast<std::size_t>(pair_of(f, lane))], f.d, lane, result);
  return d;
}

} // namespace pegasus::software::test
