// SPDX-License-Identifier: Apache-2.0
// The built-in scenarios, as --list prints them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pegasus::sim {

// A name and a title in each line, by name: fig5.2 before fig5.10. In the place of `$` stand the values of
// `vary`. A title goes on in the next line, if there are `columns`; 0: a line may be of any length.
[[nodiscard]] std::string list_of_scenarios(std::size_t columns);

// Numbers in the texts are compared as such.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

} // namespace pegasus::sim
