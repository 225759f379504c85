// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by nvcc, compared with the same computation on the host. Built for each front end and
// optimisation level of nvcc whose code the software accelerator receives.
#include "domA/device/software/exec/program.h"

#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/testdata/shared_code.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

std::string read_file(std::string const& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string ptx() {
  std::string const variant = GENERATE("optimised", "debug");
  return read_file(std::string(PEGASUS_TEST_PTX_DIR) + "/kernels_" + variant + ".ptx");
}

} // namespace

TEST_CASE("divergent loops: mandelbrot") {
  Fixture fixture(ptx());
  constexpr u32 width = 70, height = 45;
  Address const out = fixture.put(std::vector<int>(width * height));
  fixture.run("mandelbrot", {5, 6, 1}, {16, 8, 1}, {out, width, height, 200});
  auto const got = fixture.get<int>(out, width * height);
  u32 different = 0; // the device fuses multiply and add: points on the border may differ
  for (u32 y = 0; y < height; ++y)
    for (u32 x = 0; x < width; ++x) {
      float const cx = 3.0f * static_cast<float>(x) / width - 2.0f,
                  cy = 2.0f * static_cast<float>(y) / height - 1.0f;
      different += got[y * width + x] != both::mandelbrot(cx, cy, 200);
    }
  CHECK(different < width * height / 50);
}

TEST_CASE("integer code: hashes, divisions, a state machine, data-dependent loops") {
  Fixture fixture(ptx());
  constexpr int n = 500;
  Address const hash = fixture.put(std::vector<u64>(n)), quotients = fixture.put(std::vector<u64>(n));
  Address const machine = fixture.put(std::vector<int>(n)), steps = fixture.put(std::vector<u32>(n));
  fixture.run("integers", {5, 1, 1}, {128, 1, 1}, {hash, quotients, machine, steps, n});
  auto const h = fixture.get<unsigned long long>(hash, n);
  auto const q = fixture.get<long long>(quotients, n);
  auto const m = fixture.get<int>(machine, n);
  auto const s = fixture.get<u32>(steps, n);
  for (int i = 0; i < n; ++i) {
    auto const k = static_cast<std::size_t>(i);
    unsigned long long const mixed = both::mix64(static_cast<unsigned long long>(i));
    REQUIRE(h[k] == mixed);
    REQUIRE(q[k] == both::divisions(static_cast<long long>(mixed), i));
    REQUIRE(m[k] == both::state_machine(i));
    REQUIRE(s[k] == both::collatz(static_cast<unsigned>(i) + 1));
  }
}

TEST_CASE("tiled matrix product in shared memory is exact") {
  Fixture fixture(ptx());
  constexpr u32 n = 50;
  std::vector<float> a, b;
  std::mt19937 random(1);
  for (u32 i = 0; i < n * n; ++i) {
    a.push_back(static_cast<float>(random() % 2000) / 1000 - 1);
    b.push_back(static_cast<float>(random() % 2000) / 1000 - 1);
  }
  Address const pa = fixture.put(a), pb = fixture.put(b), pc = fixture.put(std::vector<float>(n * n));
  fixture.run("matmul", {4, 4, 1}, {16, 16, 1}, {pa, pb, pc, n});
  auto const c = fixture.get<float>(pc, n * n);
  for (u32 i = 0; i < n; ++i)
    for (u32 j = 0; j < n; ++j) {
      float sum = 0;
      for (u32 k = 0; k < n; ++k)
        sum = std::fma(a[i * n + k], b[k * n + j], sum);
      REQUIRE(c[i * n + j] == sum);
    }
}

TEST_CASE("reduction by shuffles, scan, sort and histogram") {
  Fixture fixture(ptx());
  std::vector<int> numbers(10000);
  std::mt19937 random(2);
  for (int& v : numbers)
    v = static_cast<int>(random() % 2001) - 1000;
  Address const in = fixture.put(numbers), out = fixture.put(std::vector<int>(1));
  fixture.run("reduce", {7, 1, 1}, {256, 1, 1}, {in, out, numbers.size()});
  CHECK(fixture.get<int>(out, 1)[0] == std::accumulate(numbers.begin(), numbers.end(), 0));

  numbers.resize(700);
  Address const data = fixture.put(numbers);
  fixture.run("scan", {1, 1, 1}, {1024, 1, 1}, {data, 700}, 4096);
  std::partial_sum(numbers.begin(), numbers.end(), numbers.begin());
  CHECK(fixture.get<int>(data, 700) == numbers);

  std::vector<u32> keys(2048);
  for (u32& k : keys)
    k = static_cast<u32>(random());
  Address const sorted = fixture.put(keys);
  fixture.run("bitonic", {1, 1, 1}, {512, 1, 1}, {sorted, keys.size()}, 8192);
  std::sort(keys.begin(), keys.end());
  CHECK(fixture.get<u32>(sorted, keys.size()) == keys);

  std::vector<unsigned char> text(50000);
  std::vector<u32> bins(256);
  for (auto& c : text)
    ++bins[c = static_cast<unsigned char>(random() % 97)];
  Address const pt = fixture.put(text), pb = fixture.put(std::vector<u32>(256));
  fixture.run("histogram", {10, 1, 1}, {192, 1, 1}, {pt, text.size(), pb});
  CHECK(fixture.get<u32>(pb, 256) == bins);
}

TEST_CASE("the device's mathematics functions are as accurate as documented") {
  Fixture fixture(ptx());
  std::vector<float> f;
  std::vector<double> d;
  for (double v : {0.001, 0.3, 1.0, 1.5, 2.0, 2.5, 3.14159, 7.25, 10.0, 20.0, 55.5}) {
    for (double const sign : {1.0, -1.0}) {
      f.push_back(static_cast<float>(sign * v));
      d.push_back(sign * v);
    }
  }
  u32 const n = static_cast<u32>(f.size());
  Address const pf = fixture.put(f), pd = fixture.put(d);
  Address const ps = fixture.put(std::vector<float>(16 * n)), pw = fixture.put(std::vector<double>(16 * n));
  fixture.run("mathematics", {1, 1, 1}, {64, 1, 1}, {pf, pd, ps, pw, n});
  auto const s = fixture.get<float>(ps, 16 * n);
  auto const w = fixture.get<double>(pw, 16 * n);
  for (u32 i = 0; i < n; ++i) {
    auto const single = [&](int which, double x) -> double {
      double const a = std::abs(x);
      double const all[] = {std::sin(x),
                            std::cos(x),
                            std::exp(x),
                            std::log(a),
                            std::pow(a, double{1.7f}),
                            std::tanh(x),
                            std::sqrt(a),
                            x / 3,
                            std::erf(x),
                            std::atan2(x, 2),
                            std::floor(x),
                            std::fmod(x, double{0.7f}),
                            std::exp(x),
                            1 / std::sqrt(a),
                            std::round(x),
                            std::cbrt(x)};
      return all[which];
    };
    for (int k = 0; k < 16; ++k) {
      double const want = single(k, static_cast<double>(f[i]));
      double const got = static_cast<double>(s[16 * i + static_cast<u32>(k)]);
      INFO("single " << k << " of " << f[i]);
      CHECK(std::abs(got - want) <= (k == 12 ? 1e-5 : 6e-7) * std::abs(want) + 1e-7);
    }
    double const x = d[i], a = std::abs(x);
    double const wide[] = {std::sin(x),      std::cos(x),      std::exp(x),  std::log(a),
                           std::pow(a, 1.7), std::tanh(x),     std::sqrt(a), 1 / x,
                           std::erf(x),      std::atan2(x, 2), std::ceil(x), std::fmod(x, 0.7),
                           std::rint(x),     std::lgamma(a),   x / 3,        std::cbrt(x)};
    for (u32 k = 0; k < 16; ++k) {
      INFO("double " << k << " of " << x);
      CHECK(std::abs(w[16 * i + k] - wide[k]) <= 1e-15 * std::abs(wide[k]) + 2e-16);
    }
  }
}

TEST_CASE("half precision") {
  Fixture fixture(ptx());
  constexpr u32 n = 100;
  std::vector<std::uint16_t> in;
  for (u32 i = 0; i < n; ++i)
    in.push_back(half_of(static_cast<float>(i) * 0.37f - 10));
  Address const p = fixture.put(in), out = fixture.put(in), pairs = fixture.put(std::vector<u32>(n));
  fixture.run("halves", {1, 1, 1}, {128, 1, 1}, {p, out, pairs, n});
  auto const o = fixture.get<std::uint16_t>(out, n);
  auto const two = fixture.get<u32>(pairs, n);
  for (u32 i = 0; i < n; ++i) {
    float const x = float_of_half(in[i]);
    std::uint16_t const want = half_of(x * x + 0.5f); // exact in single precision
    CHECK(o[i] == want);
    CHECK((two[i] & 0xffff) == half_of(x + 1));
    CHECK(two[i] >> 16 == half_of(float_of_half(want) + 1));
  }
}

TEST_CASE("recursion, structures, virtual functions with new and delete") {
  Fixture fixture(ptx());
  Address const out = fixture.put(std::vector<int>(64));
  fixture.limits.stack_bytes = 64 * 1024;
  fixture.run("ackermann", {1, 1, 1}, {64, 1, 1}, {out});
  auto const a = fixture.get<int>(out, 64);
  for (int t = 0; t < 64; ++t)
    CHECK(a[static_cast<std::size_t>(t)] == both::ackermann(t % 3, t % 5));

  Address const areas = fixture.put(std::vector<float>(64));
  fixture.run("shapes", {1, 1, 1}, {64, 1, 1}, {areas});
  auto const area = fixture.get<float>(areas, 64);
  for (u32 t = 0; t < 64; ++t) {
    auto const s = static_cast<float>(t);
    CHECK(area[t] == (t % 2 == 0 ? s * s : 3 * s * s));
  }
}

TEST_CASE("structures by value") {
  Fixture fixture(ptx());
  std::vector<both::Particle> particles(40);
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles[i] = {static_cast<double>(i), 1.0, 2.0f, static_cast<short>(i % 3), {1, 2, 3}};
  both::Particle const first{100, 0, 0.5f, 1, {9, 9, 9}};
  Address const p = fixture.put(particles);
  auto const kernel = fixture.program->kernel("particles");
  REQUIRE(kernel);
  auto const info = fixture.program->info(**kernel);
  REQUIRE(info.parameters.size() == 3);
  REQUIRE(info.parameters[1].bytes == sizeof first);
  std::vector<std::byte> parameters(info.parameter_bytes);
  int const steps = 25;
  std::memcpy(parameters.data() + info.parameters[0].offset, &p, 8);
  std::memcpy(parameters.data() + info.parameters[1].offset, &first, sizeof first);
  std::memcpy(parameters.data() + info.parameters[2].offset, &steps, 4);
  pegasus::device::Launch launch;
  launch.block = {40, 1, 1};
  launch.parameters = parameters;
  Outcome const outcome = fixture.run_whole(**kernel, launch);
  INFO(outcome.diagnostic);
  REQUIRE(outcome.status == Status::success);
  auto const got = fixture.get<both::Particle>(p, particles.size());
  particles[0] = first;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    both::Particle q = particles[i];
    for (int s = 0; s < steps; ++s)
      q = both::step(q, 0.01);
    CHECK(got[i].x == Approx(q.x).epsilon(1e-12));
    CHECK(got[i].v == Approx(q.v).epsilon(1e-12));
    CHECK(std::equal(q.tag, q.tag + 3, got[i].tag));
  }
}

TEST_CASE("printf and assert from compiled code") {
  Fixture fixture(ptx());
  fixture.run("prints", {2, 1, 1}, {32, 1, 1}, {2});
  CHECK(
      fixture.text ==
      "block 0 thread 0 of 32: text 0.000 1099511627776\nblock 0 thread 1 of 32: text 0.500 1099511627776\n"
      "block 1 thread 0 of 32: text 0.000 1099511627776\nblock 1 thread 1 of 32: text 0.500 1099511627776\n");
  fixture.text.clear();
  fixture.run("asserts", {1, 1, 1}, {32, 1, 1}, {32});
  Outcome const outcome = fixture.launch("asserts", {1, 1, 1}, {32, 1, 1}, {31});
  CHECK(outcome.status == Status::assert_failed);
  CHECK_THAT(fixture.text, Catch::Contains("thread: [31,0,0] Assertion `threadIdx.x < limit` failed."));
}

TEST_CASE("local arrays, constants, and a counter that finds the last block") {
  Fixture fixture(ptx());
  std::vector<int> data(64 * 24);
  std::mt19937 random(3);
  for (int& v : data)
    v = static_cast<int>(random() % 1000);
  Address const p = fixture.put(data);
  fixture.run("local_sort", {1, 1, 1}, {64, 1, 1}, {p, data.size()});
  for (auto it = data.begin(); it != data.end(); it += 24)
    std::sort(it, it + 24);
  CHECK(fixture.get<int>(p, data.size()) == data);

  Address const out = fixture.put(std::vector<int>(11));
  fixture.run("last_block", {10, 1, 1}, {64, 1, 1}, {out});
  CHECK(fixture.get<int>(out, 1)[0] == 2 * 1111 + 11);
}

TEST_CASE("a cooperative launch synchronises the whole grid") {
  Fixture fixture(ptx());
  constexpr u32 blocks = 20;
  std::vector<int> cells(blocks);
  std::iota(cells.begin(), cells.end(), 1);
  Address const p = fixture.put(cells);
  fixture.cooperative = true;
  fixture.run("grid_rounds", {blocks, 1, 1}, {64, 1, 1}, {p, 6});
  for (int r = 0; r < 6; ++r) {
    std::vector<int> const before = cells;
    for (u32 i = 0; i < blocks; ++i)
      cells[i] += before[(i + 1) % blocks];
  }
  CHECK(fixture.get<int>(p, blocks) == cells);
  CHECK(fixture.launch("grid_rounds", {100000, 1, 1}, {64, 1, 1}, {p, 6}).status ==
        Status::launch_out_of_resources);
}
