// SPDX-License-Identifier: Apache-2.0
// For tests: slices texts and checks refusals.
#pragma once

#include "domA/device/slicing/slice.h"

#include "domA/device/ptx/test_text.h"

namespace pegasus::slicing::test {

// Only `counter` and `table` are loaded.
inline std::optional<std::uint64_t> loaded(std::string_view variable) {
  if (variable == "counter") return 0x7f0000001000;
  if (variable == "table") return 0x7f0000002000;
  return std::nullopt;
}

// The text of a slice must itself be valid PTX.
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
