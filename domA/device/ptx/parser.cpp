// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/parser.h"

#include "domA/device/ptx/module_parser.h"

#include <fmt/core.h>
#include <new>

namespace pegasus::ptx {

tl::expected<Module, Error> parse(std::string text) {
  if (text.size() > max_text)
    return tl::unexpected(
        Error{0, fmt::format("PTX text of {} bytes: at most {} are supported", text.size(), max_text)});
  try {
    ModuleParser parser(std::make_shared<std::string const>(std::move(text)));
    if (!parser.parse()) return tl::unexpected(parser.error());
    return parser.take();
  } catch (std::bad_alloc const&) {
    return tl::unexpected(Error{0, "not enough memory to read this PTX text"});
  }
}

} // namespace pegasus::ptx
