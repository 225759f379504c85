// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/modifiers.h"

#include <algorithm>

namespace pegasus::software {

using ptx::Type;

Modifiers::Modifiers(ptx::Instruction const& instruction) {
  for (std::string_view const word : instruction.modifiers) {
    if (Type const type = type_named(word); type != Type::none) {
      types.push_back(type);
    } else if (word == "rn" || word == "rz" || word == "rm" || word == "rp") {
      round = word == "rn"   ? Round::nearest
              : word == "rz" ? Round::zero
              : word == "rm" ? Round::down
                             : Round::up;
    } else if (word == "rni" || word == "rzi" || word == "rmi" || word == "rpi") {
      integral = word;
    } else if (word == "ftz") {
      ftz = true;
    } else if (word == "sat") {
      sat = true;
    } else {
      words.push_back(word);
    }
  }
}

bool Modifiers::has(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace pegasus::software
