// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/function_directives.h"

#include "domA/device/ptx/debug_directives.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <limits>

namespace pegasus::ptx {
namespace {

bool number(Reader& in, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!in.plain_number(wide, "a number")) return false;
  if (wide > std::numeric_limits<std::uint32_t>::max())
    return in.fail(fmt::format("{} is too large a number here", wide));
  value = static_cast<std::uint32_t>(wide);
  return true;
}

// nx, ny, nz: missing ones are 1.
bool dimensions(Reader& in, std::uint32_t (&value)[3]) {
  std::fill(std::begin(value), std::end(value), 1u);
  int i = 0;
  do {
    if (i == 3) return in.fail("more than three dimensions");
    if (!number(in, value[i++])) return false;
  } while (in.accept(","));
  return true;
}

// Hints for compilers of real hardware, and clusters, which the target device does not have.
bool without_effect(std::string_view name) {
  static constexpr std::array<std::string_view, 9> names{
      "minnctapersm",   "maxnctapersm",      "noreturn",     "reqnctapercluster",    "explicitcluster",
      "maxclusterrank", "blocksareclusters", "abi_preserve", "abi_preserve_control",
  };
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool directive(Reader& in, Function& function) {
  std::string_view const name = in.token().text;
  if (in.accept_dotted("maxntid")) return dimensions(in, function.max_threads);
  if (in.accept_dotted("reqntid")) return dimensions(in, function.required_threads);
  if (in.accept_dotted("maxnreg")) return number(in, function.max_registers);
  if (debug_directive(name)) return skip_debug_directive(in);
  if (!without_effect(name)) return in.unexpected("a function's directive, '{' or ';'");
  in.advance();
  while (in.is(Token::Kind::number) || in.is(","))
    in.advance();
  return !in.failed();
}

} // namespace

bool parse_function_directives(Reader& in, Function& function) {
  while (in.is(Token::Kind::dotted))
    if (!directive(in, function)) return false;
  return true;
}

} // namespace pegasus::ptx
