// SPDX-License-Identifier: Apache-2.0
// wmma from load to store, against plain sums.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_matrices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <random>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;
using s64 = std::int64_t;

namespace {

struct Form {
  std::string shape;
  u32 m, n, k;
  u32 a_registers, b_registers;
  std::string type;             // of A and B
  std::string c = "s32", d = c; // of the accumulators
  std::string how;              // satfinite, xor.popc
  bool a_col = false, b_col = true, c_col = false, d_col = false;
  u32 padding = 0; // elements between rows; 0: no stride operand
  std::string space = ".global";
};

u32 bits_of(std::string const& type) {
  return static_cast<u32>(std::stoi(type.substr(type.find_first_of("0123456789"))));
}
bool is_new(std::string const& type) { return type == "bf16" || type == "tf32"; } // of compute capability 8.0
bool is_float(std::string const& type) { return type[0] == 'f'; }

// A matrix in memory: `lines` rows or columns, each of `length` elements, `stride` apart.
class Stored {
public:
  Stored(u32 rows, u32 columns, bool by_column, u32 bits, u32 padding)
      : by_column_(by_column), bits_(bits), stride_((by_column ? rows : columns) + padding),
        bytes_((std::size_t{by_column ? columns : rows} * stride_ * bits + 7) / 8 + 4, 0xa5) {}
  [[nodiscard]] u32 get(u32 row, u32 column) const {
    std::size_t const bit = index(row, column) * bits_;
    u32 word = 0;
    std::memcpy(&word, &bytes_[bit / 8], 4);
    return bits_ == 32 ? word : word >> bit % 8 & ((1u << bits_) - 1);
  }
  void fill(std::mt19937& random) {
    for (std::uint8_t& byte : bytes_)
      byte = static_cast<std::uint8_t>(random());
  }
  void set(u32 row, u32 column, u32 value) {
    std::memcpy(&bytes_[index(row, column) * bits_ / 8], &value, bits_ / 8);
  }
  [[nodiscard]] u32 stride() const { return stride_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

private:
  [[nodiscard]] std::size_t index(u32 row, u32 column) const {
    return by_column_ ? std::size_t{column} * stride_ + row : std::size_t{row} * stride_ + column;
  }
  bool by_column_;
  u32 bits_, stride_;
  std::vector<std::uint8_t> bytes_;
};

struct World {
  Stored a, b, c, d;
  explicit World(Form const& f)
      : a(f.m, f.k, f.a_col, bits_of(f.type), f.padding), b(f.k, f.n, f.b_col, bits_of(f.type), f.padding),
        c(f.m, f.n, f.c_col, bits_of(f.c), f.padding), d(f.m, f.n, f.d_col, bits_of(f.d), f.padding) {}
};

std::string kernel(Form const& f, World const& w) {
  auto const layout = [](bool col) { return col ? "col" : "row"; };
  auto const stride = [&](Stored const& m) { return f.padding == 0 ? "" : fmt::format(", {}", m.stride()); };
  u32 const c = f.c == "f16" ? 4 : f.m * f.n / 32, d = f.d == "f16" ? 4 : f.m * f.n / 32;
  std::string const types = is_new(f.type)  ? fmt::format("f32.{0}.{0}.f32", f.type)
                            : is_float(f.d) ? f.d + "." + f.c
                                            : fmt::format("s32.{0}.{0}.s32", f.type);
  bool const satfinite = f.how == "satfinite";
  std::string text =
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {"
      " .reg .b32 %r<64>; .reg .b64 %p<4>; .shared .align 32 .b8 mem[4096];"
      " ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c]; ld.param.u64 %p3, [d];\n";
  text += fmt::format("wmma.load.a.sync.aligned.{}.{}{}.{} {}, [%p0]{};\n", layout(f.a_col), f.shape, f.space,
                      f.type, register_list(0, f.a_registers), stride(w.a));
  text += fmt::format("wmma.load.b.sync.aligned.{}.{}{}.{} {}, [%p1]{};\n", layout(f.b_col), f.shape, f.space,
                      f.type, register_list(8, f.b_registers), stride(w.b));
  text += fmt::format("wmma.load.c.sync.aligned.{}.{}{}.{} {}, [%p2]{};\n", layout(f.c_col), f.shape, f.space,
                      f.c, register_list(16, c), stride(w.c));
  text += fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n",
                      f.how == "xor.popc" ? ".xor.popc" : "", layout(f.a_col), layout(f.b_col), f.shape,
                      types, satfinite ? ".satfinite" : "", register_list(32, d),
                      register_list(0, f.a_registers), register_list(8, f.b_registers), register_list(16, c));
  text += fmt::format("wmma.store.d.sync.aligned.{}.{}{}.{} [%p3], {}{};\n", layout(f.d_col), f.shape,
                      f.space, f.d, register_list(32, d), stride(w.d));
  return text + "ret; }";
}

float float_of(u32 bits, std::string const& type) {
  if (type == "bf16") return std::bit_cast<float>(bits << 16);
  if (type == "tf32") return std::bit_cast<float>(bits & 0xffffe000);
  return type == "f16" ? float_of_half(static_cast<std::uint16_t>(bits)) : std::bit_cast<float>(bits);
}
s64 integer_of(u32 value, std::string const& type) {
  u32 const bits = bits_of(type);
  return type[0] == 's' && (value >> (bits - 1)) != 0 ? s64{value} - (s64{1} << bits) : s64{value};
}

u32 expected(Form const& f, World const& w, u32 row, u32 column) {
  if (is_float(f.d)) {
    float sum = float_of(w.c.get(row, column), f.c);
    for (u32 k = 0; k < f.k; ++k)
      sum += float_of(w.a.get(row, k), f.type) * float_of(w.b.get(k, column), f.type);
    return f.d == "f16" ? half_of(sum) : std::bit_cast<u32>(sum);
  }
  s64 sum = integer_of(w.c.get(row, column), "s32");
  for (u32 k = 0; k < f.k; ++k)
    sum += f.type == "b1" ? s64{w.a.get(row, k) ^ w.b.get(k, column)}
                          : integer_of(w.a.get(row, k), f.type) * integer_of(w.b.get(k, column), f.type);
  if (f.how == "satfinite") sum = std::clamp(sum, s64{INT32_MIN}, s64{INT32_MAX});
  return static_cast<u32>(sum);
}

void fill(Form const& f, World& w, std::mt19937& random) {
  for (Stored* const m : {&w.a, &w.b, &w.c})
    m->fill(random);
  if (!is_float(f.d)) return;
  auto const number = [&] { return static_cast<float>(random() % 4001) / 997.0f - 2.0f; };
  auto const factor = [&] {
    u32 const bits = std::bit_cast<u32>(number());
    return f.type == "f16" ? u32{half_of(std::bit_cast<float>(bits))} : f.type == "bf16" ? bits >> 16 : bits;
  };
  for (u32 k = 0; k < f.k; ++k) {
    for (u32 row = 0; row < f.m; ++row)
      w.a.set(row, k, factor());
    for (u32 column = 0; column < f.n; ++column)
      w.b.set(k, column, factor());
  }
  for (u32 row = 0; row < f.m; ++row)
    for (u32 column = 0; column < f.n; ++column)
      w.c.set(row, column, f.c == "f16" ? u32{half_of(number())} : std::bit_cast<u32>(number()));
}

void check(Form const& f, Isa isa = Isa::best) {
  std::mt19937 random(1);
  World w(f);
  fill(f, w, random);
  Fixture fixture(with_header(kernel(f, w), is_new(f.type) ? 80 : 75), isa);
  Address const d = fixture.put(w.d.bytes());
  fixture.run("k", {1, 1, 1}, {32, 1, 1},
              {fixture.put(w.a.bytes()), fixture.put(w.b.bytes()), fixture.put(w.c.bytes()), d});
  Stored want = w.d;
  for (u32 row = 0; row < f.m; ++row)
    for (u32 column = 0; column < f.n; ++column)
      want.set(row, column, expected(f, w, row, column));
  INFO(kernel(f, w));
  REQUIRE(fixture.get<std::uint8_t>(d, want.bytes().size()) == want.bytes()); // what is between the rows, too
}

void check_layouts(Form f) {
  bool const fixed = f.shape == "m8n8k32" || f.shape == "m8n8k128";
  for (u32 i = 0; i < 16; ++i) {
    f.a_col = (i & 1) != 0;
    f.b_col = (i & 2) != 0;
    f.c_col = (i & 4) != 0;
    f.d_col = (i & 8) != 0;
    if (fixed && (f.a_col || !f.b_col)) continue;
    f.padding = 0;
    check(f);
    f.padding = fixed ? 128 : 8;
    check(f);
  }
}

struct Size {
  char const* name;
  u32 m, n;
};
constexpr Size sizes[] = {{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}};

} // namespace

TEST_CASE("halves, with accumulators of 16 and 32 bits") {
  for (Size const& s : sizes)
    for (auto const* c : {"f16", "f32"})
      for (auto const* d : {"f16", "f32"})
        check_layouts({.shape = s.name,
                       .m = s.m,
                       .n = s.n,
                       .k = 16,
                       .a_registers = 8,
                       .b_registers = 8,
                       .type = "f16",
                       .c = c,
                       .d = d,
                       .how = {}});
}

TEST_CASE("bf16 and tf32, whose low bits do not count") {
  for (Size const& s : sizes)
    check_layouts({.shape = s.name,
                   .m = s.m,
                   .n = s.n,
                   .k = 16,
                   .a_registers = s.m / 4,
                   .b_registers = s.n / 4,
                   .type = "bf16",
                   .c = "f32",
                   .d = "f32",
                   .how = {}});
  check_layouts({.shape = "m16n16k8",
                 .m = 16,
                 .n = 16,
                 .k = 8,
                 .a_registers = 4,
                 .b_registers = 4,
                 .type = "tf32",
                 .c = "f32",
                 .d = "f32",
                 .how = {}});
}

TEST_CASE("integers of 8 bits") {
  for (Size const& s : sizes)
    for (auto const* type : {"s8", "u8"})
      for (auto const* how : {"", "satfinite"})
        check_layouts({.shape = s.name,
                       .m = s.m,
                       .n = s.n,
                       .k = 16,
                       .a_registers = s.m / 8,
                       .b_registers = s.n / 8,
                       .type = type,
                       .how = how});
}

TEST_CASE("integers of 4 bits, and bits") {
  for (auto const* type : {"s4", "u4"})
    for (auto const* how : {"", "satfinite"})
      check_layouts({.shape = "m8n8k32",
                     .m = 8,
                     .n = 8,
                     .k = 32,
                     .a_registers = 1,
                     .b_registers = 1,
                     .type = type,
                     .how = how});
  check_layouts({.shape = "m8n8k128",
                 .m = 8,
                 .n = 8,
                 .k = 128,
                 .a_registers = 1,
                 .b_registers = 1,
                 .type = "b1",
                 .how = "xor.popc"});
}

TEST_CASE("generic addresses, and each instruction set of the host") {
  for (Isa const isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    Form f{.shape = "m16n16k16",
           .m = 16,
           .n = 16,
           .k = 16,
           .a_registers = 8,
           .b_registers = 8,
           .type = "f16",
           .c = "f32",
           .d = "f32",
           .how = {}};
    f.space = "";
    check(f, isa);
    f.a_col = f.d_col = true;
    check(f, isa);
  }
}
