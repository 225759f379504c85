// SPDX-License-Identifier: Apache-2.0
// The workloads' kernels: the software accelerator runs them in one launch and in pieces.
#include "domA/device/slicing/slice.h"

#include "domA/device/slicing/testing/pieces.h"

#include <array>
#include <catch2/catch.hpp>

using namespace pegasus::slicing::testing;

TEST_CASE("streaming: vector_add, black_scholes, churn, mix, burn") {
  Random random;
  auto const a = random.floats(2000), b = random.floats(2000);
  compare(Text("vector_add"), {"10vector_add", {5, 1, 1}, {256, 1, 1}, [&](World& w) {
                                 w.buffer(a);
                                 w.buffer(b);
                                 w.buffer(std::vector<float>(2000));
                                 w.value(u32{2000});
                               }});
  auto const spot = random.floats(1000, 5, 30), strike = random.floats(1000, 1, 100),
             years = random.floats(1000, 0.25f, 10);
  compare(Text("black_scholes"),
          {"5price", {8, 1, 1}, {128, 1, 1}, [&](World& w) {
             std::vector<float> const none(1000);
             w.value(std::array{w.hold(spot), w.hold(strike), w.hold(years), w.hold(none), w.hold(none)});
             w.value(u32{10});
             w.value(u32{1000});
           }});
  auto const numbers = random.values<u32>(1000, 1u << 31);
  compare(Text("streams_overlap"), {"5churn", {8, 1, 1}, {128, 1, 1}, [&](World& w) {
                                      w.buffer(numbers);
                                      w.buffer(std::vector<u32>(1000));
                                      w.value(u32{1000});
                                      w.value(u32{30});
                                    }});
  compare(Text("multithreaded"), {"3mix", {8, 1, 1}, {128, 1, 1}, [&](World& w) {
                                    w.buffer(numbers);
                                    w.value(u32{1000});
                                    w.value(u32{77});
                                  }});
  compare(Text("throttle"), {"4burn", {7, 1, 1}, {128, 1, 1}, [&](World& w) {
                               w.buffer(numbers);
                               w.value(u32{50});
                               w.value(u32{1664525});
                               w.value(u32{1013904223});
                             }});
}

TEST_CASE("tiles in shared memory: matrix_mul, stencil, fast_walsh") {
  Random random;
  constexpr u32 n = 40;
  auto const a = random.floats(n * n), b = random.floats(n * n);
  auto const matrices = [&](World& w) {
    w.buffer(a);
    w.buffer(b);
    w.buffer(std::vector<float>(n * n));
    w.value(u32{n});
  };
  compare(Text("matrix_mul"), {"15multiply_static", {3, 3, 1}, {16, 16, 1}, matrices});
  compare(Text("matrix_mul"), {"16multiply_dynamic", {5, 5, 1}, {8, 8, 1}, matrices, 2 * 4 * 8 * 8});
  auto const plate = random.floats(90 * 50);
  compare(Text("stencil"), {"4step", {6, 4, 1}, {16, 16, 1}, [&](World& w) {
                              w.buffer(plate);
                              w.buffer(std::vector<float>(90 * 50));
                              w.value(u32{90});
                              w.value(u32{50});
                            }});
  auto const data = random.floats(4096);
  compare(Text("fast_walsh"), {"21butterflies_in_global", {8, 1, 1}, {256, 1, 1}, [&](World& w) {
                                 w.buffer(data);
                                 w.value(u32{1024});
                               }});
  compare(Text("fast_walsh"), {"21butterflies_in_shared", {4, 1, 1}, {512, 1, 1}, [&](World& w) {
                                 w.buffer(data);
                                 w.value(u32{4096});
                               }});
}

TEST_CASE("warps that hold matrices together: tensor_cores") {
  Random random;
  constexpr u32 n = 64;
  auto const a = random.values<std::uint16_t>(n * n, 0x3c00), b = random.values<std::uint16_t>(n * n, 0x3c00);
  auto const matrices = [&](World& w) {
    w.buffer(a);
    w.buffer(b);
    w.buffer(std::vector<float>(n * n));
    w.value(u32{n});
  };
  compare(Text("tensor_cores"), {"13multiply_wmmaI6__halffE", {n / 16, n / 64, 1}, {32, 4, 1}, matrices});
  compare(Text("tensor_cores"), {"12multiply_mmaILb1EE", {n / 8, n / 64, 1}, {32, 4, 1}, matrices});
}

TEST_CASE("blocks that work together: reduction, histogram, scan, fp64_solver") {
  Random random;
  auto const numbers = random.values<int>(5000, 1u << 31);
  compare(Text("reduction"), {"13reduce_values", {9, 1, 1}, {256, 1, 1}, [&](World& w) {
                                w.buffer(numbers);
                                w.value(u32{5000});
                                w.buffer(std::vector<std::array<u64, 2>>(9));
                              }});
  auto const bytes = random.values<unsigned char>(4000, 200);
  compare(Text("histogram"), {"15count_in_shared", {6, 1, 1}, {256, 1, 1}, [&](World& w) {
                                w.buffer(bytes);
                                w.value(u32{4000});
                                w.buffer(std::vector<u32>(256));
                              }});
  compare(Text("histogram"), {"15count_in_global", {6, 1, 1}, {256, 1, 1}, [&](World& w) {
                                w.buffer(bytes);
                                w.value(u32{4000});
                                w.buffer(std::vector<u32>(256));
                                w.buffer(std::vector<u64>(3));
                              }});
  auto const input = random.values<u32>(2000, 1u << 20);
  compare(Text("scan"), {"11scan_blocks", {8, 1, 1}, {256, 1, 1}, [&](World& w) {
                           w.buffer(input);
                           w.buffer(std::vector<u32>(2000));
                           w.buffer(std::vector<u32>(8));
                           w.value(u32{2000});
                         }});
  auto const single = random.floats(900);
  std::vector<double> const x(single.begin(), single.end());
  compare(Text("fp64_solver"), {"5apply", {8, 1, 1}, {128, 1, 1}, [&](World& w) {
                                  w.buffer(x);
                                  w.buffer(std::vector<double>(900));
                                  w.value(u32{30});
                                  w.buffer(std::vector<double>(1));
                                }});
  compare(Text("fp64_solver"), {"4turn", {8, 1, 1}, {128, 1, 1}, [&](World& w) {
                                  w.buffer(x);
                                  w.buffer(x);
                                  w.value(0.75);
                                  w.value(u32{900});
                                }});
}

TEST_CASE("the device's heap and printed text: printf_malloc") {
  compare(Text("printf_malloc"), {"11build_lists", {4, 1, 1}, {32, 1, 1}, [](World& w) {
                                    w.buffer(std::vector<u64>(128));
                                    w.buffer(std::vector<u32>(128));
                                    w.value(u32{5});
                                  }});
}

TEST_CASE("a kernel with functions of another file is refused: rdc_link") {
  check_refused(Text("rdc_link"), "9weigh_all", "which is not in this text");
}
