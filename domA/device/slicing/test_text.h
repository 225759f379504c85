// SPDX-License-Identifier: Apache-2.0
// For tests: texts sliced and refused.
#pragma once

#include "domA/device/slicing/slice.h"

#include "domA/device/ptx/test_text.h"

namespace pegasus::slicing::test {

// `counter` and `table` are loaded, and nothing else.
inline std::optional<std::uint64_t> loaded(std::string_view variable) {
  if (variable == "counter") return 0x7f0000001000;
  if (variable == "table") return 0x7f0000002000;
  return std::nullopt;
}

// What a slice is must be PTX again.
inline Kernel sliced(std::string const& text, Resolve const& resolve = loaded) {
  INFO(text);
  auto kernel = slice(text, "k", resolve);
  INFO((kernel ? "" : kernel.error()));
  REQUIRE(kernel.has_value());
  static_cast<void>(ptx::test::parsed(kernel->text));
  return std::move(*kernel);
}

inline std::string refusal(std::string const& text, std::string_view kernel = "k") {
  INFO(text);
  auto const made = slice(text, kernel, loaded);
  REQUIRE_FALSE(made.has_value());
  return made.error();
}

} // namespace pegasus::slicing::test
