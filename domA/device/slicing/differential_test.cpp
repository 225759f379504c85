// SPDX-License-Identifier: Apache-2.0
// Kernels as nvcc compiles them, run by the software accelerator in one launch and in pieces.
#include "domA/device/slicing/slice.h"

#include "domA/device/slicing/testing/pieces.h"
#include "domA/device/software/exec/testdata/shared_code.h"

#include <catch2/catch.hpp>

using namespace pegasus::slicing::testing;
using pegasus::device::Dim3;

namespace {

Text variant_of(std::string const& file) {
  std::string const variant = GENERATE("_optimised", "_debug");
  return Text(file + variant);
}

} // namespace

TEST_CASE("blocks know their index, in three dimensions") {
  auto const text = variant_of("blocks");
  for (Dim3 const grid : {Dim3{13, 1, 1}, {1, 9, 1}, {1, 1, 6}, {5, 4, 3}, {2, 3, 7}}) {
    std::size_t const blocks = std::size_t{grid[0]} * grid[1] * grid[2];
    compare(text, {"indices", grid, {8, 1, 1}, [=](World& w) { w.buffer(std::vector<u32>(8 * blocks)); }});
    compare(text, {"diverging", grid, {48, 1, 1}, [=](World& w) {
                     w.buffer(std::vector<u32>(48 * blocks));
                     w.value(static_cast<u32>(48 * blocks - 7));
                   }});
  }
}

TEST_CASE("module variables are those of the module as loaded") {
  auto const text = variant_of("blocks");
  for (Dim3 const grid : {Dim3{11, 1, 1}, {3, 2, 4}})
    compare(text, {"last_block_of_all", grid, {64, 1, 1}, [](World& w) { w.buffer(std::vector<u32>(64)); }});
}

TEST_CASE("functions go with the kernel, unless they ask for their block") {
  auto const text = variant_of("blocks");
  compare(text, {"through_a_function", {6, 2, 1}, {32, 1, 1}, [](World& w) {
                   w.buffer(std::vector<u32>(32 * 12));
                 }});
  check_refused(text, "function_asks", "and only a kernel is told its piece (in the function");
}

TEST_CASE("what is printed comes in the same order") {
  compare(variant_of("blocks"), {"says", {3, 4, 1}, {32, 1, 1}, [](World& w) { w.value(u32{2}); }});
  compare(variant_of("kernels"), {"prints", {5, 1, 1}, {32, 1, 1}, [](World& w) { w.value(u32{2}); }});
}

TEST_CASE("kernels of one dimension") {
  auto const text = variant_of("kernels");
  Random random;
  compare(text, {"integers", {5, 1, 1}, {128, 1, 1}, [](World& w) {
                   int const n = 500;
                   w.buffer(std::vector<u64>(n));
                   w.buffer(std::vector<u64>(n));
                   w.buffer(std::vector<int>(n));
                   w.buffer(std::vector<u32>(n));
                   w.value(n);
                 }});
  auto const numbers = random.values<int>(3000, 2001);
  compare(text, {"reduce", {7, 1, 1}, {256, 1, 1}, [&](World& w) {
                   w.buffer(numbers);
                   w.buffer(std::vector<int>(1));
                   w.value(static_cast<int>(numbers.size()));
                 }});
  auto const bytes = random.values<unsigned char>(9000, 97);
  compare(text, {"histogram", {10, 1, 1}, {192, 1, 1}, [&](World& w) {
                   w.buffer(bytes);
                   w.value(static_cast<int>(bytes.size()));
                   w.buffer(std::vector<u32>(256));
                 }});
  auto const halves = random.values<std::uint16_t>(200, 0x7000);
  compare(text, {"halves", {4, 1, 1}, {64, 1, 1}, [&](World& w) {
                   w.buffer(halves);
                   w.buffer(halves);
                   w.buffer(std::vector<u32>(halves.size()));
                   w.value(static_cast<int>(halves.size()));
                 }});
}

TEST_CASE("the device's mathematics, with its tables") {
  auto const text = variant_of("kernels");
  Random random;
  auto const f = random.floats(100);
  compare(text, {"mathematics", {4, 1, 1}, {32, 1, 1}, [&](World& w) {
                   w.buffer(f);
                   w.buffer(std::vector<double>(f.begin(), f.end()));
                   w.buffer(std::vector<float>(16 * f.size()));
                   w.buffer(std::vector<double>(16 * f.size()));
                   w.value(static_cast<int>(f.size()));
                 }});
}

TEST_CASE("kernels of two dimensions") {
  auto const text = variant_of("kernels");
  compare(text, {"mandelbrot", {5, 6, 1}, {16, 8, 1}, [](World& w) {
                   w.buffer(std::vector<int>(70 * 45));
                   for (int const v : {70, 45, 60})
                     w.value(v);
                 }});
  Random random;
  auto const a = random.floats(50 * 50), b = random.floats(50 * 50);
  compare(text, {"matmul", {4, 4, 1}, {16, 16, 1}, [&](World& w) {
                   w.buffer(a);
                   w.buffer(b);
                   w.buffer(std::vector<float>(50 * 50));
                   w.value(50);
                 }});
}

TEST_CASE("kernels of one block, dynamic shared memory, recursion, structures") {
  auto const text = variant_of("kernels");
  Random random;
  auto const data = random.values<int>(24 * 64, 2001);
  auto const keys = random.values<u32>(512, 1u << 31);
  compare(text, {"scan",
                 {1, 1, 1},
                 {1024, 1, 1},
                 [&](World& w) {
                   w.buffer(data);
                   w.value(700);
                 },
                 4096});
  compare(text, {"bitonic",
                 {2, 1, 1},
                 {128, 1, 1},
                 [&](World& w) {
                   w.buffer(keys);
                   w.value(static_cast<int>(keys.size()));
                 },
                 2048});
  compare(text, {"local_sort", {2, 1, 1}, {64, 1, 1}, [&](World& w) {
                   w.buffer(data);
                   w.value(static_cast<int>(data.size()));
                 }});
  compare(text, {"ackermann", {2, 1, 1}, {64, 1, 1}, [](World& w) {
                   w.buffer(std::vector<int>(64));
                   w.fixture.limits.stack_bytes = 64 * 1024;
                 }});
  std::vector<both::Particle> particles(21); // zeros, also in the padding; the last one is the argument
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles[i].x = static_cast<double>(i);
    particles[i].v = 1;
    particles[i].mass = 0.5f;
    particles[i].kind = static_cast<short>(i % 3);
  }
  compare(text, {"particles", {1, 2, 1}, {20, 1, 1}, [&](World& w) {
                   w.buffer(particles);
                   w.value(particles.back());
                   w.value(25);
                 }});
}

TEST_CASE("a failed assertion ends the pieces where it ends the launch") {
  auto const text = variant_of("kernels");
  for (u32 const limit : {31u, 32u})
    compare(text, {"asserts", {1, 1, 1}, {32, 1, 1}, [=](World& w) { w.value(limit); }});
}

TEST_CASE("kernels that are refused, as nvcc makes them") {
  auto const text = variant_of("kernels");
  check_refused(text, "shapes", "it calls through a pointer");
  check_refused(text, "last_block", "it uses the .const variable 'weights'");
  check_refused(text, "grid_rounds", "which may be about the launch as a whole");
}
