# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, the C++ file with the scenarios in FILES (builtin.h).
# usage: cmake -DOUTPUT=file "-DFILES=a.toml;b.toml" -P builtin.cmake
list(SORT FILES)
set(rows "")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM LAST_ONLY name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"scenario(${text})scenario\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"sim/scenario/builtin.h\"

#include <array>

namespace pegasus::sim {
namespace {

constexpr std::array builtin_table = std::to_array<BuiltinScenario>({
${rows}});

} // namespace

std::span<BuiltinScenario const> builtin_scenarios() { return builtin_table; }

} // namespace pegasus::sim
")
