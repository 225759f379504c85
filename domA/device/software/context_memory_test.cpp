// SPDX-License-Identifier: Apache-2.0
// Allocations, quotas, copies and fills.
#include "domA/device/software/context.h"

#include "domA/device/memory/quota_test_fixture.h"
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

#include <array>
#include <cstring>
#include <numeric>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Address;
using pegasus::device::Range;
using pegasus::memory::test::QuotaMemory;

namespace {

constexpr std::uint64_t MiB = 1 << 20;

} // namespace

TEST_CASE("allocations are zeroed, found by any address in them, and freed once") {
  Fixture f;
  Address const base = f.allocate(1000);
  CHECK(base % 256 == 0);
  CHECK(f.read<std::uint8_t>(base, 1000) == std::vector<std::uint8_t>(1000, 0));
  Range range;
  REQUIRE(f.context->memory_range(base + 999, range) == Status::success);
  CHECK(range.base == base);
  CHECK(range.bytes == 1000);
  CHECK(f.context->memory_range(base - 1, range) == Status::not_found);
  CHECK(f.context->memory_used() >= 1000);

  CHECK(f.context->free(base + 1) == Status::invalid_value);
  CHECK(f.context->free(base) == Status::success);
  CHECK(f.context->free(base) == Status::invalid_value);
  CHECK(f.context->free(0) == Status::success);
  CHECK(f.context->memory_used() == 0);
  std::byte bytes[4] = {};
  CHECK(f.context->copy_from_device(nullptr, bytes, {base, 0, 4, 1}) == Status::invalid_value);
  Address none = 0;
  CHECK(f.context->allocate(0, none) == Status::invalid_value);
}

TEST_CASE("what one task left is not seen by the next") {
  Fixture f;
  Address const first = f.allocate(MiB);
  f.write(first, std::vector<std::uint32_t>(MiB / 4, 0xdeadbeef));
  REQUIRE(f.context->free(first) == Status::success);
  Address const second = f.allocate(MiB);
  CHECK(f.read<std::uint32_t>(second, MiB / 4) == std::vector<std::uint32_t>(MiB / 4, 0));
}

TEST_CASE("contexts of a domain share its quota") {
  QuotaMemory memory(100 * MiB);
  auto const context_in = [&](std::uint32_t slot) {
    return Options{.memory_bytes = 64 * MiB, .quota = memory.take(slot, 1, {3 * MiB})};
  };
  Address address = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  {
    Fixture one(context_in(0));
    Fixture two(context_in(1));
    Address const base = one.allocate(2 * MiB);
    CHECK(two.context->allocate(2 * MiB, address) == Status::out_of_memory);
    CHECK(two.output(pegasus::device::Output::Kind::diagnostic).find("its domain's limit of 3.0 MiB") !=
          std::string::npos);
    CHECK(two.context->allocate(2 * MiB, address) == Status::out_of_memory);
    CHECK_FALSE(two.context->output_pending()); // it is told once
    CHECK(two.context->memory_used() == 0);
    REQUIRE(two.context->memory_info(free_bytes, total_bytes) == Status::success);
    CHECK(free_bytes == MiB);
    CHECK(total_bytes == 3 * MiB);
    CHECK(two.context->allocate(MiB, address) == Status::success);
    CHECK(memory.books.used_bytes(1) == 3 * MiB);
    CHECK(two.context->allocate(1, address) == Status::out_of_memory);
    REQUIRE(one.context->free(base) == Status::success);
    CHECK(two.context->allocate(2 * MiB, address) == Status::success);
    CHECK(two.context->allocate(std::uint64_t{1} << 40, address) == Status::out_of_memory);
    CHECK(two.context->allocate(~std::uint64_t{0}, address) == Status::out_of_memory);
    CHECK(memory.books.used_bytes() == 3 * MiB);
  }
  CHECK(memory.books.used_bytes() == 0);

  QuotaMemory small(MiB);
  Fixture three({.memory_bytes = 64 * MiB, .quota = small.take(0, 1, {3 * MiB})});
  CHECK(three.context->allocate(2 * MiB, address) == Status::out_of_memory); // the accelerator is full
  CHECK(small.books.used_bytes() == 0);
}

TEST_CASE("module variables are charged, and are not the program's to free") {
  QuotaMemory memory(MiB);
  Fixture f({.memory_bytes = 64 * MiB, .quota = memory.take(0, 1, {MiB})});
  {
    auto module = f.load(kernels);
    CHECK(memory.books.used_bytes() > 0);
    CHECK(memory.books.used_bytes() == f.context->memory_used());
    Range const answer = module->global("answer");
    CHECK(answer.bytes == 8);
    CHECK(f.read<std::uint32_t>(answer.base, 2) == std::vector<std::uint32_t>{42, 0x04030201});
    CHECK(f.context->free(answer.base) == Status::invalid_value);
    CHECK(module->global("question").bytes == 0);
  }
  CHECK(memory.books.used_bytes() == 0);

  std::string const large =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .b8 large[2000000];\n";
  std::unique_ptr<pegasus::device::Module> module;
  std::string log;
  CHECK(f.context->load_module(std::as_bytes(std::span(large.c_str(), large.size() + 1)), image_fatbin_or_ptx,
                               module, log) == Status::out_of_memory);
  CHECK(module == nullptr);
  CHECK(log.find("2000256") != std::string::npos);
  CHECK(f.output(pegasus::device::Output::Kind::diagnostic).find(log) != std::string::npos);
  CHECK(memory.books.used_bytes() == 0);
}

TEST_CASE("copies move rows between packed and pitched memory") {
  Fixture f;
  Address const a = f.allocate(64);
  Address const b = f.allocate(64);
  std::vector<std::uint8_t> packed(12);
  std::iota(packed.begin(), packed.end(), std::uint8_t{1});
  REQUIRE(f.context->copy_to_device(nullptr, {a, 16, 4, 3}, std::as_bytes(std::span(packed))) ==
          Status::success);
  auto const image = f.read<std::uint8_t>(a, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    bool const inside = i % 16 < 4 && i / 16 < 3;
    CHECK(image[i] == (inside ? i / 16 * 4 + i % 16 + 1 : 0));
  }
  REQUIRE(f.context->copy_device(nullptr, {b + 1, 8, 4, 3}, a, 16) == Status::success);
  std::vector<std::uint8_t> back(12);
  REQUIRE(f.context->copy_from_device(nullptr, std::as_writable_bytes(std::span(back)), {b + 1, 8, 4, 3}) ==
          Status::success);
  CHECK(back == packed);
}

TEST_CASE("copies refuse what does not fit") {
  Fixture f;
  Address const a = f.allocate(64);
  Address const b = f.allocate(32);
  std::vector<std::byte> host(64);
  auto& c = *f.context;
  CHECK(c.copy_to_device(nullptr, {a, 0, 65, 1}, std::span(host)) == Status::invalid_value);
  CHECK(c.copy_to_device(nullptr, {a, 0, 32, 1}, std::span(host)) == Status::invalid_value); // sizes differ
  CHECK(c.copy_to_device(nullptr, {a, 16, 16, 5}, std::span(host)) == Status::invalid_value);
  CHECK(c.copy_from_device(nullptr, std::span(host), {a + 1, 0, 64, 1}) == Status::invalid_value);
  CHECK(c.copy_from_device(nullptr, std::span(host).first(63), {a, 0, 64, 1}) == Status::invalid_value);
  CHECK(c.copy_device(nullptr, {a, 0, 64, 1}, b, 0) == Status::invalid_value);
  CHECK(c.copy_device(nullptr, {a, 16, 8, 4}, b, 4) == Status::invalid_value); // source rows overlap
  CHECK(c.copy_device(nullptr, {0x1000, 0, 8, 1}, b, 0) == Status::invalid_value);
  CHECK(c.copy_to_device(nullptr, {a, 0, 0, 1}, {}) == Status::success); // empty
  CHECK(c.copy_device(nullptr, {0, 0, 0, 1}, 0, 0) == Status::success);
  CHECK(c.synchronize() == Status::success); // no error was sticky
}

TEST_CASE("fills repeat elements of 1, 2 and 4 bytes") {
  Fixture f;
  Address const a = f.allocate(64);
  REQUIRE(f.context->fill(nullptr, {a, 0, 64, 1}, 0x1ff, 1) == Status::success);
  CHECK(f.read<std::uint8_t>(a, 64) == std::vector<std::uint8_t>(64, 0xff));
  REQUIRE(f.context->fill(nullptr, {a, 0, 62, 1}, 0xaa1234, 2) == Status::success);
  auto halves = std::vector<std::uint16_t>(32, 0x1234);
  halves[31] = 0xffff;
  CHECK(f.read<std::uint16_t>(a, 32) == halves);
  REQUIRE(f.context->fill(nullptr, {a + 4, 32, 12, 2}, 0x89abcdef, 4) == Status::success);
  auto const words = f.read<std::uint32_t>(a, 16);
  for (std::size_t i = 0; i < 15; ++i)
    CHECK(words[i] == (i % 8 >= 1 && i % 8 <= 3 ? 0x89abcdef : 0x12341234));

  CHECK(f.context->fill(nullptr, {a, 0, 68, 1}, 0, 4) == Status::invalid_value);
  CHECK(f.context->fill(nullptr, {0, 0, 0, 1}, 0, 4) == Status::success);
}

TEST_CASE("allocations and variables are evicted, with pointers in them, and restored in their places") {
  QuotaMemory memory(100 * MiB);
  Fixture f({.memory_bytes = 64 * MiB, .quota = memory.take(0, 1, {32 * MiB})});
  auto const module = f.load(R"(.version 7.5
.target sm_75
.address_size 64
.visible .global .u64 head;
.visible .entry follow(.param .u64 out) {
  .reg .u64 %rd<4>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [head];
  ld.u32 %r1, [%rd2];
  st.u32 [%rd1], %r1;
  ret;
})");
  Address const list = f.allocate(3 * MiB + 100);
  Address const out = f.allocate(4);
  f.write(list + 3 * MiB, std::vector<std::uint32_t>{42});
  f.write(module->global("head").base, std::vector<std::uint64_t>{list + 3 * MiB});
  std::uint64_t const used = f.context->memory_used();
  REQUIRE(f.context->evict() == Status::success);
  CHECK(f.context->memory_used() + 3 * MiB < used);
  CHECK(memory.books.used_bytes(1) == f.context->memory_used());
  REQUIRE(f.context->restore() == Status::success);
  CHECK(f.context->memory_used() == used);
  CHECK(memory.books.used_bytes(1) == used);
  std::array<std::byte, 8> parameters{};
  std::memcpy(parameters.data(), &out, sizeof out);
  REQUIRE(f.context->launch(nullptr, *module->function("follow"), {.parameters = parameters},
                            pegasus::testing::EndlessSlice()) == Status::success);
  CHECK(f.read<std::uint32_t>(out, 1).front() == 42);
  CHECK(f.read<std::uint32_t>(list, 25 + 3 * MiB / 4 - 1).front() == 0);
}
