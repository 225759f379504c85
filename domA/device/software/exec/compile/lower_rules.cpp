// SPDX-License-Identifier: Apache-2.0
// Every mnemonic that is known, sorted, and how it is lowered.
#include "domA/device/software/exec/compile/lower.h"

#include <algorithm>

namespace pegasus::software {

// Shapes: destination:sources. t the type, w twice as wide, 4 a 32-bit register, p a predicate.
Lowering::Rule const Lowering::rules[] = {
    {"abs", &Lowering::simple, "t:t"},
    {"activemask", &Lowering::activemask, {}},
    {"add", &Lowering::simple, "t:tt"},
    {"addc", &Lowering::simple, "t:tt"},
    {"and", &Lowering::simple, "t:tt"},
    {"atom", &Lowering::atom, {}},
    {"bar", &Lowering::barrier, {}},
    {"barrier", &Lowering::barrier, {}},
    {"bfe", &Lowering::simple, "t:t44"},
    {"bfi", &Lowering::simple, "t:tt44"},
    {"bfind", &Lowering::simple, "4:t"},
    {"bmsk", &Lowering::simple, "t:t4"},
    {"brev", &Lowering::simple, "t:t"},
    {"brkpt", &Lowering::nothing, {}},
    {"call", &Lowering::call, {}},
    {"clz", &Lowering::simple, "4:t"},
    {"cnot", &Lowering::simple, "t:t"},
    {"copysign", &Lowering::simple, "t:tt"},
    {"cos", &Lowering::simple, "t:t"},
    {"cvt", &Lowering::cvt, {}},
    {"cvta", &Lowering::cvta, {}},
    {"div", &Lowering::simple, "t:tt"},
    {"dp2a", &Lowering::raw_key, {}},
    {"dp4a", &Lowering::raw_key, {}},
    {"ex2", &Lowering::simple, "t:t"},
    {"fence", &Lowering::nothing, {}}, // one thread executes everything in order
    {"fma", &Lowering::simple, "t:ttt"},
    {"isspacep", &Lowering::isspacep, {}},
    {"ld", &Lowering::ld, {}},
    {"ldu", &Lowering::ld, {}},
    {"lg2", &Lowering::simple, "t:t"},
    {"lop3", &Lowering::lop3, {}},
    {"mad", &Lowering::simple, "t:ttt"},
    {"mad24", &Lowering::simple, "t:ttt"},
    {"madc", &Lowering::simple, "t:ttt"},
    {"match", &Lowering::match, {}},
    {"max", &Lowering::simple, "t:tt"},
    {"membar", &Lowering::nothing, {}},
    {"min", &Lowering::simple, "t:tt"},
    {"mov", &Lowering::mov, {}},
    {"mul", &Lowering::simple, "t:tt"},
    {"mul24", &Lowering::simple, "t:tt"},
    {"nanosleep", &Lowering::nanosleep, {}},
    {"neg", &Lowering::simple, "t:t"},
    {"not", &Lowering::simple, "t:t"},
    {"or", &Lowering::simple, "t:tt"},
    {"pmevent", &Lowering::nothing, {}},
    {"popc", &Lowering::simple, "4:t"},
    {"prefetch", &Lowering::nothing, {}},
    {"prefetchu", &Lowering::nothing, {}},
    {"prmt", &Lowering::simple, "t:tt4"},
    {"rcp", &Lowering::simple, "t:t"},
    {"red", &Lowering::atom, {}},
    {"redux", &Lowering::redux, {}},
    {"rem", &Lowering::simple, "t:tt"},
    {"rsqrt", &Lowering::simple, "t:t"},
    {"sad", &Lowering::simple, "t:ttt"},
    {"selp", &Lowering::simple, "t:ttp"},
    {"set", &Lowering::set, {}},
    {"setp", &Lowering::setp, {}},
    {"shf", &Lowering::simple, "t:tt4"},
    {"shfl", &Lowering::shfl, {}},
    {"shl", &Lowering::simple, "t:t4"},
    {"shr", &Lowering::simple, "t:t4"},
    {"sin", &Lowering::simple, "t:t"},
    {"slct", &Lowering::slct, {}},
    {"sqrt", &Lowering::simple, "t:t"},
    {"st", &Lowering::st, {}},
    {"sub", &Lowering::simple, "t:tt"},
    {"subc", &Lowering::simple, "t:tt"},
    {"szext", &Lowering::simple, "t:t4"},
    {"tanh", &Lowering::simple, "t:t"},
    {"testp", &Lowering::simple, "p:t"},
    {"trap", &Lowering::trap, {}},
    {"vabsdiff2", &Lowering::raw_key, {}},
    {"vabsdiff4", &Lowering::raw_key, {}},
    {"vote", &Lowering::vote, {}},
    {"xor", &Lowering::simple, "t:tt"},
};

Lowering::Rule const* Lowering::rule_for(std::string_view mnemonic) {
  auto const it =
      std::lower_bound(std::begin(rules), std::end(rules), mnemonic,
                       [](Rule const& rule, std::string_view name) { return rule.mnemonic < name; });
  return it != std::end(rules) && it->mnemonic == mnemonic ? it : nullptr;
}

} // namespace pegasus::software
