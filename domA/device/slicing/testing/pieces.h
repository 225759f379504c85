// SPDX-License-Identifier: Apache-2.0
// For tests: the software accelerator runs a kernel in one launch and, sliced, in pieces.
#pragma once

#include "domA/device/software/exec/test_fixture.h"

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::slicing::testing {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// PTX made by nvcc, in the build directory.
struct Text {
  explicit Text(std::string const& file);
  // The kernel with this name or, if there is none, the only one whose name contains it (C++ mangles names).
  [[nodiscard]] std::string kernel(std::string const& part) const;

  std::string ptx;
  std::vector<std::string> kernels, variables;
};

// A device with a module loaded, and the arguments of a launch in its memory. The same calls place the same
// data at the same addresses.
class World {
public:
  explicit World(Text const& text) : fixture(text.ptx) {}

  template <class T> void value(T const& v) {
    std::vector<std::byte> bytes(sizeof v);
    std::memcpy(bytes.data(), &v, sizeof v);
    arguments.push_back(std::move(bytes));
  }
  template <class T> software::Address hold(std::vector<T> const& values) {
    software::Address const at = fixture.put(values);
    buffers.emplace_back(at, values.size() * sizeof(T));
    return at;
  }
  template <class T> void buffer(std::vector<T> const& values) { value(hold(values)); }

  software::test::Fixture fixture;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<std::pair<software::Address, std::size_t>> buffers;
};

struct Job {
  std::string kernel; // or a part of its name
  device::Dim3 grid, block;
  std::function<void(World&)> arguments;
  u32 dynamic_shared = 0;
};

// Buffers, module variables, printed text and status must be identical bit by bit, however the grid is cut:
// single blocks, parts of rows, rows, planes, the whole grid, and a mixture.
void compare(Text const&, Job const&);

void check_refused(Text const&, std::string const& kernel, std::string const& reason);

struct Random {
  template <class T> std::vector<T> values(std::size_t n, unsigned below) {
    std::vector<T> all(n);
    for (T& v : all)
      v = static_cast<T>(engine() % below);
    return all;
  }
  std::vector<float> floats(std::size_t n, float from = -2, float to = 2) {
    std::vector<float> all(n);
    for (float& v : all)
      v = from + static_cast<float>(engine() % 4096) / 4096 * (to - from);
    return all;
  }
  std::mt19937 engine{1};
};

} // namespace pegasus::slicing::testing
