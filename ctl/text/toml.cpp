// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/toml.h"

#include "ctl/text/json.h"

#include <fmt/format.h>

namespace pegasus::ctl {

// JSON's strings are TOML's basic strings, but for DEL, which TOML wants escaped.
std::string toml_text(std::string_view text) {
  std::string quoted;
  for (char const c : json_text(Json(text)))
    if (c == '\x7f')
      quoted += "\\u007f";
    else
      quoted += c;
  return quoted;
}

std::string time_text(std::uint64_t ns) {
  struct Unit {
    std::uint64_t ns;
    int digits;
    char const* name;
  };
  for (Unit const unit : {Unit{1'000'000'000, 9, "s"}, Unit{1'000'000, 6, "ms"}, Unit{1'000, 3, "us"}}) {
    if (ns < unit.ns) continue;
    std::string text = fmt::format("{}.{:0{}}", ns / unit.ns, ns % unit.ns, unit.digits);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + unit.name;
  }
  return ns == 0 ? "0s" : fmt::format("{}ns", ns);
}

} // namespace pegasus::ctl
