// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries, and Python's packages that use CUDA: what of them works. The words are those of
// docs/operators/your-program.md.
#pragma once

#include <string_view>

namespace pegasus::ctl::doctor {

struct KnownLibrary {
  std::string_view file; // how its file's name begins: "libcublas.so"
  std::string_view name;
  bool works = false;
};

// nullptr: it is none of NVIDIA's that need CUDA.
[[nodiscard]] KnownLibrary const* known_library(std::string_view file);

struct KnownPackage {
  std::string_view name; // normalized, of the wheel; one that ends in '*' stands for all that begin so
  std::string_view says;
  std::string_view lacks = {}; // what of it does not work; empty: nothing is known not to
  std::string_view remedy = {};
};

// nullptr: nothing is known of it.
[[nodiscard]] KnownPackage const* known_package(std::string_view name);

} // namespace pegasus::ctl::doctor
