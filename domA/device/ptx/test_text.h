// SPDX-License-Identifier: Apache-2.0
// For tests: whole texts around the tested line.
#pragma once

#include "domA/device/ptx/parser.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

namespace pegasus::ptx::test {

inline std::string module_with(std::string_view statements) {
  return ".version 9.0\n.target sm_75\n.address_size 64\n" + std::string(statements);
}

// The body is on line 6 and has %p<4>, %r<8>, %rd<8>, %f<8> and a parameter named out.
inline std::string kernel_with(std::string_view body, std::string_view before = "") {
  return module_with(std::string(before) +
                     "\n.visible .entry k(.param .u64 out){\n.reg .pred %p<4>; .reg .b32 %r<8>; " +
                     ".reg .b64 %rd<8>; .reg .f32 %f<8>; " + std::string(body) + "\nret;\n}\n");
}

inline Module parsed(std::string text) {
  INFO(text);
  auto module = parse(std::move(text));
  INFO((module ? "" : module.error().message));
  REQUIRE(module.has_value());
  return std::move(*module);
}

inline Error refused(std::string text) {
  INFO(text);
  auto const module = parse(std::move(text));
  REQUIRE_FALSE(module.has_value());
  return module.error();
}

// The first instruction of a kernel with this body.
struct One {
  Module module;
  [[nodiscard]] Function const& function() const { return module.functions.back(); }
  [[nodiscard]] Instruction const& operator*() const { return function().instructions.front(); }
  [[nodiscard]] Instruction const* operator->() const { return &function().instructions.front(); }
};
inline One one(std::string_view body, std::string_view before = "") {
  return {parsed(kernel_with(body, before))};
}

} // namespace pegasus::ptx::test
