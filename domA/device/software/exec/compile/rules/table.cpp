// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/table.h"

#include "domA/device/software/exec/compile/rules/arithmetic.h"
#include "domA/device/software/exec/compile/rules/async_copy.h"
#include "domA/device/software/exec/compile/rules/atomic.h"
#include "domA/device/software/exec/compile/rules/barrier.h"
#include "domA/device/software/exec/compile/rules/cache.h"
#include "domA/device/software/exec/compile/rules/call.h"
#include "domA/device/software/exec/compile/rules/compare.h"
#include "domA/device/software/exec/compile/rules/convert.h"
#include "domA/device/software/exec/compile/rules/exchange.h"
#include "domA/device/software/exec/compile/rules/matrix.h"
#include "domA/device/software/exec/compile/rules/mbarrier.h"
#include "domA/device/software/exec/compile/rules/memory.h"
#include "domA/device/software/exec/compile/rules/move.h"
#include "domA/device/software/exec/compile/rules/shaped.h"
#include "domA/device/software/exec/compile/rules/surface.h"
#include "domA/device/software/exec/compile/rules/texture.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>

namespace pegasus::software {
namespace {

using ptx::Instruction;

// Hints, and memory ordering: one thread executes everything in order.
void lower_to_nothing(Lowering&, Instruction const&, Modifiers const&) {}

void lower_trap(Lowering& l, Instruction const&, Modifiers const&) { l.code.emit(op_trap, 0); }

void lower_nanosleep(Lowering& l, Instruction const& i, Modifiers const&) {
  static_cast<void>(l.operands.source(i, 0, ptx::Type::u32));
  l.code.emit(op_nanosleep, 0);
}

// Every supported mnemonic, sorted.
constexpr Rule rules[] = {
    {"abs", "t:t"},
    {"activemask", lower_activemask},
    {"add", "t:tt"},
    {"addc", "t:tt"},
    {"and", "t:tt"},
    {"applypriority", lower_cache_line, 80},
    {"atom", lower_atom},
    {"bar", lower_barrier},
    {"barrier", lower_barrier},
    {"bfe", "t:t44"},
    {"bfi", "t:tt44"},
    {"bfind", "4:t"},
    {"bmsk", "t:t4"},
    {"brev", "t:t"},
    {"brkpt", lower_to_nothing},
    {"call", lower_call},
    {"clz", "4:t"},
    {"cnot", "t:t"},
    {"copysign", "t:tt"},
    {"cos", "t:t"},
    {"cp", lower_cp, 80},
    {"createpolicy", lower_createpolicy, 80},
    {"cvt", lower_cvt},
    {"cvta", lower_cvta},
    {"discard", lower_cache_line, 80},
    {"div", "t:tt"},
    {"dp2a", lower_by_key},
    {"dp4a", lower_by_key},
    {"ex2", "t:t"},
    {"fence", lower_to_nothing},
    {"fma", "t:ttt"},
    {"isspacep", lower_isspacep},
    {"ld", lower_ld},
    {"ldmatrix", lower_ldmatrix},
    {"ldu", lower_ld},
    {"lg2", "t:t"},
    {"lop3", lower_lop3},
    {"mad", "t:ttt"},
    {"mad24", "t:ttt"},
    {"madc", "t:ttt"},
    {"match", lower_match},
    {"max", "t:tt"},
    {"mbarrier", lower_mbarrier, 80},
    {"membar", lower_to_nothing},
    {"min", "t:tt"},
    {"mma", lower_mma},
    {"mov", lower_mov},
    {"movmatrix", lower_movmatrix},
    {"mul", "t:tt"},
    {"mul24", "t:tt"},
    {"nanosleep", lower_nanosleep},
    {"neg", "t:t"},
    {"not", "t:t"},
    {"or", "t:tt"},
    {"pmevent", lower_to_nothing},
    {"popc", "4:t"},
    {"prefetch", lower_to_nothing},
    {"prefetchu", lower_to_nothing},
    {"prmt", "t:tt4"},
    {"rcp", "t:t"},
    {"red", lower_atom},
    {"redux", lower_redux},
    {"rem", "t:tt"},
    {"rsqrt", "t:t"},
    {"sad", "t:ttt"},
    {"selp", "t:ttp"},
    {"set", lower_set},
    {"setp", lower_setp},
    {"shf", "t:tt4"},
    {"shfl", lower_shfl},
    {"shl", "t:t4"},
    {"shr", "t:t4"},
    {"sin", "t:t"},
    {"slct", lower_slct},
    {"sqrt", "t:t"},
    {"st", lower_st},
    {"sub", "t:tt"},
    {"subc", "t:tt"},
    {"suld", lower_suld},
    {"suq", lower_suq},
    {"sust", lower_sust},
    {"szext", "t:t4"},
    {"tanh", "t:t"},
    {"testp", "p:t"},
    {"tex", lower_tex},
    {"tld4", lower_tld4},
    {"trap", lower_trap},
    {"txq", lower_txq},
    {"vabsdiff2", lower_by_key},
    {"vabsdiff4", lower_by_key},
    {"vote", lower_vote},
    {"wmma", lower_wmma},
    {"xor", "t:tt"},
};
static_assert(std::ranges::is_sorted(rules, {}, &Rule::mnemonic));

} // namespace

void Rule::lower(Lowering& l, Instruction const& i) const {
  if (!l.has(target_, i)) return;
  Modifiers const modifiers(i);
  if (function_ != nullptr)
    function_(l, i, modifiers);
  else
    lower_shaped(l, i, modifiers, shape_);
}

Rule const* rule_for(std::string_view mnemonic) {
  auto const* const it = std::ranges::lower_bound(rules, mnemonic, {}, &Rule::mnemonic);
  return it != std::end(rules) && it->mnemonic == mnemonic ? it : nullptr;
}

} // namespace pegasus::software
