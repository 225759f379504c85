// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_calls.h"

namespace pegasus::fuzz {

std::string declared(Parameter const& p, std::string_view name) {
  std::string_view const shown = p.unnamed ? "_" : name;
  if (p.array != 0) return fmt::format(".param .align {} .b8 {}[{}]", 1u << (p.array % 5), shown, p.array);
  return fmt::format("{} .b{} {}{}", p.in_register ? ".reg" : ".param", 8 * bytes_of(p.kind),
                     p.in_register && !p.unnamed ? "%" : "", shown);
}

namespace {

void write_prototype(PtxWriter& w, Signature const& s, unsigned n) {
  std::string types = "(.param .b64 _, .param .b32 _";
  for (Parameter const& p : s.more)
    types += ", " + declared({p.kind, false, true, p.array}, {});
  w.line("PROTO{}: .callprototype {} _ {});", n, s.returns ? "(.param .b32 _)" : "", types);
}

// The argument for a parameter: a value, or a .param variable that is declared and filled before the call.
std::string argument(PtxWriter& w, Parameter const& p, std::string const& name) {
  if (p.array == 0 && (p.in_register ? w.pick(4) != 0 : w.pick(4) == 0))
    return p.kind == 'r' ? w.value('r') : w.reg(p.kind);
  if (p.array == 16 && w.hostile()) { // as wide as the array; other statements do not use this register
    w.line(".reg .b128 {};", name);
    return name;
  }
  unsigned const array = p.array != 0 && w.rarely() ? p.array + 1 : p.array;
  w.line("{};", declared({p.kind, false, false, array}, name));
  if (array != 0)
    w.line("st.param.b8 [{}+{}], {};", name, p.array - 1, w.reg('h'));
  else
    w.line("st.param.b{} [{}], {};", 8 * bytes_of(p.kind), name, w.reg(p.kind));
  return name;
}

} // namespace

Signature choose_signature(PtxWriter& w) {
  auto const parameter = [&] {
    Parameter p;
    p.kind = "rdhr"[w.pick(4)];
    p.in_register = w.pick(2) != 0;
    p.unnamed = w.hostile() ? w.pick(3) == 2 : w.rarely();
    if (!p.in_register && w.pick(4) == 3) p.array = w.hostile() && w.pick(2) != 0 ? 16 : 1 + w.pick(24);
    return p;
  };
  Signature s;
  s.returns = w.pick(3) != 0;
  if (s.returns) s.result = parameter();
  for (unsigned n = w.pick(4); n > 0; --n)
    s.more.push_back(parameter());
  return s;
}

void write_call(PtxWriter& w, std::span<Signature const> functions) {
  auto const which = w.pick(static_cast<unsigned>(functions.size()));
  Signature const& s = functions[which];
  unsigned const n = w.number();
  bool const indirect = w.pick(3) == 0;
  if (indirect) {
    write_prototype(w, s, n);
    auto const other = w.pick(static_cast<unsigned>(functions.size()));
    bool const fits = functions[other] == s || w.rarely();
    w.line("mov.u64 %a2, f{};\nmov.u64 %a3, calls;\nld.global.u64 %a3, [%a3+{}];", which,
           8 * (fits ? other : which));
    w.line("selp.b64 %a2, %a2, %a3, {};", w.reg('p'));
  }
  w.line("{{\n.param .b32 steps{0};\nst.param.b32 [steps{0}], %depth;", n);
  std::string arguments = fmt::format("(%own, steps{}", n);
  for (std::size_t i = 0; i < s.more.size(); ++i)
    arguments += ", " + argument(w, s.more[i], fmt::format("x{}_{}", n, i));
  bool const in_register = s.returns && s.result.array == 0 && w.pick(2) != 0;
  std::string result;
  if (in_register) {
    result = fmt::format("({}), ", w.reg(s.result.kind));
  } else if (s.result.array == 16 && w.hostile()) {
    w.line(".reg .b128 back{};", n);
    result = fmt::format("(back{}), ", n);
  } else if (s.returns) {
    w.line("{};", declared({s.result.kind, false, false, s.result.array}, fmt::format("back{}", n)));
    result = fmt::format("(back{}), ", n);
  }
  w.line("{}call{} {}{}, {}){};", w.rarely() ? w.guard() : "", w.pick(2) != 0 && !indirect ? ".uni" : "",
         result, indirect ? "%a2" : fmt::format("f{}", which), arguments,
         indirect ? fmt::format(", PROTO{}", n) : "");
  if (s.returns && !in_register && !(s.result.array == 16 && w.hostile())) {
    bool const array = s.result.array != 0;
    w.line("ld.param.b{} {}, [back{}];", array ? 8 : 8 * bytes_of(s.result.kind),
           w.reg(array ? 'h' : s.result.kind), n);
  }
  w.line("}}");
}

} // namespace pegasus::fuzz
