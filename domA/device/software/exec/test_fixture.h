// SPDX-License-Identifier: Apache-2.0
// For tests: runs PTX text, without a device context.
#pragma once

#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/machine/launch.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/program.h"

#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace pegasus::software::test {

// Bits of a value, for tables.
inline std::uint64_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
inline std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }

class Fixture {
public:
  // One unit per text. A text without a .version line gets the usual header. Fails the test if it
  // does not build.
  explicit Fixture(std::vector<std::string> const& units, Isa isa = Isa::best);
  explicit Fixture(std::string const& unit, Isa isa = Isa::best) : Fixture(std::vector{unit}, isa) {}

  // The error message; empty on success.
  static std::string build_error(std::vector<std::string> const& units, std::string_view kernel = {});

  template <class T> Address put(std::vector<T> const& values) {
    Address const at = memory.allocate(values.size() * sizeof(T));
    std::memcpy(memory.resolve(at, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T> std::vector<T> get(Address at, std::size_t n) {
    std::vector<T> values(n);
    std::memcpy(values.data(), memory.resolve(at, n * sizeof(T)), n * sizeof(T));
    return values;
  }

  // Arguments are the low bytes of 64-bit values.
  Outcome launch(std::string_view kernel, device::Dim3 grid, device::Dim3 block,
                 std::vector<std::uint64_t> const& arguments, std::uint32_t dynamic_shared = 0);
  Outcome run_whole(Kernel const&, device::Launch const&);
  // Fails the test unless the launch succeeds.
  void run(std::string_view kernel, device::Dim3 grid, device::Dim3 block,
           std::vector<std::uint64_t> const& arguments, std::uint32_t dynamic_shared = 0);

  Memory memory{std::uint64_t{256} << 20};
  Textures textures;
  std::unique_ptr<Program> program;
  Limits limits;
  std::string text; // printed by kernels
  bool cooperative = false;

private:
  DeviceHeap heap_{memory, limits.malloc_heap_bytes};
};

std::string with_header(std::string const& unit, std::uint32_t target = 75);
inline std::string for_sm_80(std::string const& unit) { return with_header(unit, 80); }

// Runs `code` in each thread i: it may use %a %b %c (of the given types, from the columns of `in`) and must
// set %d. Returns the bits of d for each thread.
struct Snippet {
  std::string code;
  std::string d, a, b, c; // types: "u32", "f64", "b16"; empty: not used
  std::uint32_t target = 75;
};
std::vector<std::uint64_t> run_snippet(Snippet const&, std::vector<std::array<std::uint64_t, 3>> const& in,
                                       Isa isa = Isa::best);

} // namespace pegasus::software::test
