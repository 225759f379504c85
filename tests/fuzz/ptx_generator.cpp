// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_generator.h"

#include "tests/fuzz/ptx_calls.h"
#include "tests/fuzz/ptx_memory.h"
#include "tests/fuzz/ptx_odd.h"
#include "tests/fuzz/ptx_texture.h"
#include "tests/fuzz/ptx_warp.h"

#include <algorithm>

namespace pegasus::fuzz {
namespace {

constexpr unsigned max_block = 3;

class Generator {
public:
  explicit Generator(Input& input) : w_(input) {}
  std::string module();

private:
  void data();
  void function(unsigned index);
  void kernel();
  void registers(bool entry);
  template <class Visit> void each_group(Visit&& visit);
  void values();
  void results();
  void body(unsigned statements);
  void statement();
  void form();
  void flow(); // calls one of these:
  void either();
  void loop();
  void choice();
  void crossing();
  void scope();
  void leave();

  PtxWriter w_;
  std::vector<Signature> functions_;
  std::vector<Parameter> kernel_parameters_; // empty while functions are written
  unsigned nested_ = 0;                      // blocks around the statement
};

// The variables, with bit patterns that are corner cases of arithmetic.
void Generator::data() {
  w_.line(".version 8.0\n.target sm_80\n.address_size 64");
  w_.line(".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);");
  w_.line(".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);");
  w_.line(".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "
          ".b64 c);");
  static constexpr std::string_view patterns =
      "0 1 0xffffffffffffffff 0x8000000000000000 0x7fffffffffffffff 0x7ff0000000000000 0xfff8000000000001 "
      "0x7ff8000000001234 0x3ff0000000000000 0x0000000100000001 0x7f8000003f800000 0x7fc00001ffc01234 "
      "0x0000000080000000 0x3c007c00fc007e01 0x0001800000010001 0x000fffffffffffff 0xc3e0000000000000 "
      "0x41efffffffe00000 0x4f0000005f000000 0xbf000000be99999a 0x000000000000001f";
  for (auto const& [variable, bytes] : {std::pair{".global .align 16 .b64 data", data_bytes},
                                        std::pair{".const .align 16 .b64 table", table_bytes}}) {
    std::string list;
    for (unsigned i = 0; i < bytes / 8; ++i)
      fmt::format_to(std::back_inserter(list), "{}{}", i == 0 ? "" : ", ", word_of(patterns, i + w_.pick(4)));
    w_.line("{}[{}] = {{{}}};", variable, bytes / 8, list);
  }
  w_.line(".visible .global .align 16 .b8 counters[{}];", counter_bytes);
  static constexpr std::string_view printing = "%d%u%x%ll%s%c%p%f%e%g%o%X%h%a% .*0123456789-+#z\n";
  std::string format;
  for (unsigned i = 0; i < 23; ++i)
    format +=
        fmt::format("{}, ", static_cast<unsigned>(printing[w_.pick(static_cast<unsigned>(printing.size()))]));
  w_.line(".global .align 1 .b8 words[24] = {{{}0}};", format);
  w_.line(".shared .align 16 .b8 tile[{}];\n.extern .shared .align 16 .b8 dynamic[];", shared_bytes);
  if (w_.rarely()) w_.line(".global .align {} .b8 odd[{}];", 1u << w_.pick(17), w_.pick(40));
}

// Statements compute with %p %h %r %d, and the kernel stores these at the end. The others are helpers.
void Generator::registers(bool entry) {
  static constexpr std::string_view types[] = {"b16 u16 s16 f16 b8 u8", "b32 u32 s32 f32 f16x2",
                                               "b64 u64 s64 f64"};
  w_.line(".reg .pred %p<{}>, %q;", count_of('p'));
  for (auto const& [kind, list] :
       {std::pair{'h', types[0]}, std::pair{'r', types[1]}, std::pair{'d', types[2]}})
    w_.line(".reg .{} %{}<{}>;", w_.pick(list), kind, count_of(kind));
  w_.line(".reg .b32 %i<4>, %sink, %thread;\n.reg .b64 %a<4>, %wide_sink;");
  if (entry) w_.line(".reg .b64 %own;\n.reg .b32 %depth;");
  w_.line(".local .align 16 .b8 frame[{}];", local_bytes);
}

// The registers of each kind, in lists for accesses of up to 16 bytes. One access for each register would be
// most of the text.
template <class Visit> void Generator::each_group(Visit&& visit) {
  unsigned offset = 0;
  for (char const kind : {'d', 'r', 'h'}) {
    unsigned const most = kind == 'd' ? 2 : 4;
    for (unsigned first = 0; first < count_of(kind); first += most) {
      unsigned const count = std::min(most, count_of(kind) - first);
      std::string list;
      for (unsigned i = first; i < first + count; ++i)
        fmt::format_to(std::back_inserter(list), "{}%{}{}", i == first ? "" : ", ", kind, i);
      visit(offset, fmt::format("v{}.b{}", count, 8 * bytes_of(kind)), list);
      offset += 16;
    }
  }
}

// Gives each register a value that depends on the thread.
void Generator::values() {
  w_.line("mov.u32 %i0, %ctaid.x;\nmov.u32 %i1, %ntid.x;\nmov.u32 %i2, %ntid.y;\nmul.lo.u32 %i0, %i0, %i2;");
  w_.line("mov.u32 %i2, %tid.y;\nadd.u32 %i0, %i0, %i2;\nmul.lo.u32 %i0, %i0, %i1;\nmov.u32 %i1, %tid.x;");
  w_.line("add.u32 %thread, %i0, %i1;\nmul.lo.u32 %i0, %thread, {};\nand.b32 %i0, %i0, 0x70;",
          16 + 16 * w_.pick(4));
  w_.line("mov.u64 %a0, data;\ncvt.u64.u32 %a1, %i0;\nadd.u64 %a1, %a1, %a0;");
  each_group([this](unsigned offset, std::string const& type, std::string const& list) {
    w_.line("ld.global.{} {{{}}}, [%a1+{}];", type, list, offset);
  });
  for (unsigned i = 0; i < count_of('p'); i += 2)
    w_.line("and.b32 %i1, %thread, {};\nsetp.ne.u32 %p{}|%p{}, %i1, 0;", 1u << i, i, i + 1);
}

void Generator::results() {
  each_group([this](unsigned offset, std::string const& type, std::string const& list) {
    w_.line("st.global.{} [%own+{}], {{{}}};", type, own_bytes + offset, list);
  });
  static_assert(count_of('p') == 6);
  for (unsigned i = 0; i < 6; ++i)
    w_.line("selp.b16 %h{0}, 1, 2, %p{0};", i);
  w_.line("st.global.v4.b16 [%own+{}], {{%h0, %h1, %h2, %h3}};", cell_bytes - 16);
  w_.line("st.global.v2.b16 [%own+{}], {{%h4, %h5}};", cell_bytes - 8);
}

void Generator::body(unsigned statements) {
  for (unsigned i = 0; i < statements && !w_.empty(); ++i)
    statement();
}

void Generator::function(unsigned index) {
  Signature const& s = functions_[index];
  std::string list = "(.reg .b64 %own, .param .b32 steps";
  for (std::size_t i = 0; i < s.more.size(); ++i)
    list += ", " + declared(s.more[i], fmt::format("x{}", i));
  w_.line(".func {} f{} {})\n{{", s.returns ? "(" + declared(s.result, "result") + ")" : "", index, list);
  registers(false);
  w_.line(".reg .b32 %depth;\nld.param.u32 %depth, [steps];");
  values();
  w_.line("setp.eq.u32 %q, %depth, 0;\n@%q bra DONE;\nsub.u32 %depth, %depth, 1;");
  for (std::size_t i = 0; i < s.more.size(); ++i) {
    Parameter const& p = s.more[i];
    if (p.unnamed || p.array != 0) continue;
    if (p.in_register)
      w_.line("mov.b{} {}, %x{};", 8 * bytes_of(p.kind), w_.reg(p.kind), i);
    else
      w_.line("ld.param.b{} {}, [x{}];", 8 * bytes_of(p.kind), w_.reg(p.kind), i);
  }
  body(1 + w_.pick(12));
  w_.line("DONE:");
  if (s.returns && !s.result.unnamed) {
    Parameter const& p = s.result;
    if (p.in_register)
      w_.line("mov.b{} %result, {};", 8 * bytes_of(p.kind), w_.reg(p.kind));
    else
      w_.line("st.param.b{} [result], {};", p.array != 0 ? 8 : 8 * bytes_of(p.kind),
              w_.reg(p.array != 0 ? 'h' : p.kind));
  }
  w_.line("ret;\n}}");
}

void Generator::kernel() {
  std::string list = ".param .u64 cells";
  for (unsigned n = w_.pick(5); n > 0; --n) {
    Parameter p;
    p.kind = "rdh"[w_.pick(3)];
    if (w_.pick(4) == 3) p.array = 1 + w_.pick(100);
    list += ", " + declared(p, fmt::format("y{}", kernel_parameters_.size()));
    kernel_parameters_.push_back(p);
  }
  w_.line(".visible .entry k({}){}\n{{", list, w_.rarely() ? " .maxntid 64, 1, 1" : "");
  registers(true);
  w_.line("ld.param.u64 %own, [cells];\nmov.u32 %depth, {};", w_.pick(5));
  values();
  w_.line("mul.wide.u32 %a0, %thread, {};\nadd.u64 %own, %own, %a0;", cell_bytes);
  body(2 + w_.pick(60));
  w_.line("DONE:");
  results();
  w_.line("ret;\n}}");
}

void Generator::statement() {
  switch (w_.pick(20)) {
  case 7:
    return write_texture_operation(w_);
  case 8:
  case 9:
    return write_access(w_, kernel_parameters_);
  case 10:
    if (w_.pick(3) == 2) return write_asynchronous(w_);
    return write_access(w_, kernel_parameters_);
  case 11:
    return write_atomic(w_);
  case 12:
    return write_special(w_);
  case 13:
    return write_warp_operation(w_, nested_ == 0);
  case 14:
    return nested_ == 0 || w_.rarely() ? write_barrier(w_) : write_warp_operation(w_, nested_ == 0);
  case 15:
  case 16:
  case 17:
    return nested_ < max_block ? flow() : form();
  case 18:
    return functions_.empty() ? form() : write_call(w_, functions_);
  case 19:
    return w_.hostile() && w_.pick(2) != 0 ? write_hostile(w_, !functions_.empty()) : write_system_call(w_);
  default:
    return form();
  }
}

void Generator::form() {
  Form const& f = forms()[w_.take<std::uint16_t>() % forms().size()];
  std::string_view const name = w_.pick(f.names), type = w_.pick(f.types);
  char const own = kind_of(register_bits(type));
  std::string operands;
  for (std::size_t i = 0; i < f.operands.size(); ++i) {
    char const letter = f.operands[i];
    char const kind = letter == 't' ? own : letter == 'w' ? own == 'h' ? 'r' : 'd' : letter;
    if (letter == '|') {
      operands = w_.reg('p') + "|" + w_.reg('p');
      continue;
    }
    operands += i == 0 ? w_.reg(kind) : ", " + w_.value(kind);
    if (i == 0 && kind == 'p' && name.starts_with("setp") && w_.pick(4) == 3) operands += "|" + w_.reg('p');
  }
  w_.line("{}{}.{} {};", w_.guard(), name, type, operands);
}

void Generator::either() {
  unsigned const n = w_.number();
  w_.line("@{}{} bra ELSE{};", w_.pick(2) != 0 ? "!" : "", w_.reg('p'), n);
  body(1 + w_.pick(6));
  w_.line("bra MEET{};\nELSE{}:", n, n);
  body(w_.pick(6));
  w_.line("MEET{}:", n);
}

// The number of rounds is the same for every thread, or differs.
void Generator::loop() {
  unsigned const n = w_.number();
  w_.line("{{\n.reg .b32 %n{};\n.reg .pred %again{};", n, n);
  if (w_.pick(2) != 0)
    w_.line("and.b32 %n{0}, {1}, 3;\nadd.u32 %n{0}, %n{0}, 1;", n, w_.reg('r'));
  else
    w_.line("mov.u32 %n{}, {};", n, 1 + w_.pick(4));
  w_.line("LOOP{}:", n);
  body(1 + w_.pick(6));
  if (w_.pick(4) == 0) w_.line("@{} bra OUT{};", w_.reg('p'), n);
  w_.line("sub.u32 %n{0}, %n{0}, 1;\nsetp.ne.u32 %again{0}, %n{0}, 0;\n@%again{0} bra LOOP{0};\nOUT{0}:\n}}",
          n);
}

// Some cases fall through.
void Generator::choice() {
  unsigned const n = w_.number(), cases = 1 + w_.pick(5);
  w_.line("and.b32 %i0, {}, 3;\nmin.u32 %i0, %i0, {};", w_.reg('r'), w_.rarely() ? cases : cases - 1);
  std::string list;
  for (unsigned i = 0; i < cases; ++i)
    fmt::format_to(std::back_inserter(list), "{}CASE{}_{}", i == 0 ? "" : ", ", n, i);
  w_.line("TARGETS{}: .branchtargets {};\n{}brx.idx %i0, TARGETS{};", n, list, w_.guard(), n);
  for (unsigned i = 0; i < cases; ++i) {
    w_.line("CASE{}_{}:", n, i);
    body(w_.pick(4));
    if (w_.pick(2) != 0) w_.line("bra MEET{};", n);
  }
  w_.line("MEET{}:", n);
}

// A branch into the middle of code that another branch skips: no structured program has this.
void Generator::crossing() {
  unsigned const n = w_.number();
  w_.line("@{} bra IN{};", w_.reg('p'), n);
  body(1 + w_.pick(3));
  w_.line("@{} bra MEET{};\nIN{}:", w_.reg('p'), n, n);
  body(1 + w_.pick(3));
  w_.line("MEET{}:", n);
}

// Declares registers with names that are already in use outside.
void Generator::scope() {
  w_.line("{{\n.reg .b32 %r<{}>;\n.reg .b64 %d<{}>;", count_of('r'), count_of('d'));
  for (unsigned i = 0; i < count_of('r'); ++i)
    w_.line("add.u32 %r{}, %thread, {};", i, i);
  for (unsigned i = 0; i < count_of('d'); ++i)
    w_.line("mul.wide.u32 %d{}, %thread, {};", i, i);
  body(1 + w_.pick(6));
  w_.line("}}");
}

void Generator::leave() {
  if (!w_.rarely())
    w_.line("@{}{} bra DONE;", w_.pick(2) != 0 ? "!" : "", w_.reg('p'));
  else
    w_.line("@{} {};", w_.reg('p'), w_.pick("exit ret"));
}

void Generator::flow() {
  static constexpr void (Generator::*kinds[])() = {
      &Generator::either,   &Generator::either, &Generator::loop, &Generator::choice,
      &Generator::crossing, &Generator::scope,  &Generator::leave};
  ++nested_;
  (this->*kinds[w_.pick(std::size(kinds))])();
  --nested_;
}

std::string Generator::module() {
  unsigned const functions = w_.pick(4);
  for (unsigned i = 0; i < functions; ++i)
    functions_.push_back(i > 0 && w_.pick(2) != 0 ? functions_.front() : choose_signature(w_));
  data();
  std::string addresses;
  for (unsigned i = 0; i < functions; ++i)
    fmt::format_to(std::back_inserter(addresses), "{}f{}", i == 0 ? "" : ", ", i);
  for (unsigned i = 0; i < functions; ++i)
    function(i);
  if (functions != 0) w_.line(".global .align 8 .u64 calls[{}] = {{{}}};", functions, addresses);
  kernel();
  return w_.take_text();
}

} // namespace

std::string generate_ptx(Input& input) { return Generator(input).module(); }

} // namespace pegasus::fuzz
