// SPDX-License-Identifier: Apache-2.0
// Memory that a program maps itself, as kernels and copies see it.
#include "domA/device/memory/quota_test_fixture.h"
#include "domA/device/software/context.h"
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

#include <numeric>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Address;
using pegasus::device::mapping_granule;
using pegasus::device::PhysicalMemory;
using pegasus::memory::test::QuotaMemory;

namespace {

constexpr std::uint64_t granule = mapping_granule;
using Physical = std::unique_ptr<PhysicalMemory>;

struct Mapped : Fixture {
  using Fixture::Fixture;
  Address base = reserve(16 * granule);
  std::unique_ptr<pegasus::device::Module> module = load(kernels);

  Address reserve(std::uint64_t bytes) {
    Address address = 0;
    REQUIRE(context->reserve_addresses(bytes, 0, 0, address) == Status::success);
    return address;
  }
  Physical create(std::uint64_t bytes) {
    Physical memory;
    REQUIRE(context->create_memory(bytes, memory) == Status::success);
    return memory;
  }
  Physical place(Address address, std::uint64_t bytes) {
    Physical memory = create(bytes);
    REQUIRE(context->map({address, bytes}, *memory) == Status::success);
    REQUIRE(context->set_access({address, bytes}, true) == Status::success);
    return memory;
  }
  // *address = value in a kernel.
  Status store(Address address, std::uint32_t value) {
    auto const parameters = pack({address, value});
    REQUIRE(context->launch(nullptr, *module->function("store"), {.parameters = parameters},
                            pegasus::testing::EndlessSlice()) == Status::success);
    return context->synchronize();
  }
};

} // namespace

TEST_CASE("new memory reads as zero, and kernels and copies reach it once it is accessible") {
  Mapped f;
  CHECK(f.base % granule == 0);
  Physical const memory = f.create(2 * granule);
  REQUIRE(f.context->map({f.base, 2 * granule}, *memory) == Status::success);
  std::byte bytes[4] = {};
  CHECK(f.context->copy_from_device(nullptr, bytes, {f.base, 0, 4, 1}) == Status::invalid_value);
  REQUIRE(f.context->set_access({f.base, 2 * granule}, true) == Status::success);
  CHECK(f.read<std::uint8_t>(f.base, 2 * granule) == std::vector<std::uint8_t>(2 * granule, 0));
  CHECK(f.store(f.base + 2 * granule - 4, 7) == Status::success);
  CHECK(f.read<std::uint32_t>(f.base + 2 * granule - 4, 1)[0] == 7);
}

TEST_CASE("a kernel faults where nothing is mapped, or nothing accessible") {
  Mapped f;
  Physical const memory = f.place(f.base, granule);
  CHECK(f.store(f.base, 1) == Status::success);
  Address at = f.base + granule;
  SECTION("beyond what is mapped") {}
  SECTION("mapped without access") {
    Physical const other = f.create(granule);
    REQUIRE(f.context->map({at, granule}, *other) == Status::success);
    CHECK(f.store(at, 1) == Status::illegal_address);
    return;
  }
  SECTION("access was taken") {
    at = f.base;
    REQUIRE(f.context->set_access({f.base, granule}, false) == Status::success);
  }
  SECTION("unmapped") {
    at = f.base;
    REQUIRE(f.context->unmap({f.base, granule}) == Status::success);
  }
  CHECK(f.store(at, 1) == Status::illegal_address);
}

TEST_CASE("an access may cross the border of two mappings") {
  Mapped f;
  Physical const second = f.place(f.base + granule, granule);
  Physical const first = f.place(f.base, granule);
  std::vector<std::uint32_t> values(2 * granule / 4);
  std::iota(values.begin(), values.end(), 1u);
  f.write(f.base, values);
  CHECK(f.read<std::uint32_t>(f.base, values.size()) == values);
  auto const parameters = pack({f.base + granule - 64 * 4});
  REQUIRE(f.context->launch(nullptr, *f.module->function("index"),
                            {.grid = {4, 1, 1}, .block = {32, 1, 1}, .parameters = parameters},
                            pegasus::testing::EndlessSlice()) == Status::success);
  REQUIRE(f.context->synchronize() == Status::success);
  CHECK(f.read<std::uint32_t>(f.base + granule - 64 * 4, 128)[127] == 127 * 3);
  std::byte bytes[8] = {};
  CHECK(f.context->copy_from_device(nullptr, bytes, {f.base + 2 * granule - 4, 0, 8, 1}) ==
        Status::invalid_value);
  REQUIRE(f.context->unmap({f.base, granule}) == Status::success);
  CHECK(f.context->copy_from_device(nullptr, bytes, {f.base + granule - 4, 0, 8, 1}) ==
        Status::invalid_value);
  CHECK(f.read<std::uint32_t>(f.base + 2 * granule - 4, 1)[0] == values.back());
}

TEST_CASE("what a handle holds is there again where it is mapped next") {
  Mapped f;
  Physical const memory = f.place(f.base, 2 * granule);
  std::vector<std::uint32_t> values(2 * granule / 4);
  std::iota(values.begin(), values.end(), 5u);
  f.write(f.base, values);
  REQUIRE(f.context->unmap({f.base, 2 * granule}) == Status::success);
  Physical const other = f.place(f.base, granule);
  CHECK(f.read<std::uint32_t>(f.base, 4) == std::vector<std::uint32_t>(4, 0));

  Address const next = f.reserve(4 * granule) + granule;
  SECTION("all of it") {}
  SECTION("its first part, and then all") {
    REQUIRE(f.context->map({next, granule}, *memory) == Status::success);
    REQUIRE(f.context->set_access({next, granule}, true) == Status::success);
    CHECK(f.read<std::uint32_t>(next, 1)[0] == 5);
    f.write<std::uint32_t>(next, {values[0] = 77});
    REQUIRE(f.context->unmap({next, granule}) == Status::success);
  }
  REQUIRE(f.context->map({next, 2 * granule}, *memory) == Status::success);
  REQUIRE(f.context->set_access({next, 2 * granule}, true) == Status::success);
  CHECK(f.read<std::uint32_t>(next, values.size()) == values);
}

TEST_CASE("memory that was given back is not seen again") {
  Mapped f;
  Physical memory = f.place(f.base, granule);
  f.write(f.base, std::vector<std::uint32_t>(granule / 4, 0xdeadbeef));
  SECTION("unmapped, then released") {
    REQUIRE(f.context->unmap({f.base, granule}) == Status::success);
    memory.reset();
  }
  SECTION("released, then unmapped") {
    memory.reset();
    CHECK(f.read<std::uint32_t>(f.base, 1)[0] == 0xdeadbeef);
    REQUIRE(f.context->unmap({f.base, granule}) == Status::success);
  }
  CHECK(f.context->memory_used() == f.module->global("answer").bytes / 256 * 256 + 512);
  Physical const next = f.place(f.base, granule);
  CHECK(f.read<std::uint32_t>(f.base, granule / 4) == std::vector<std::uint32_t>(granule / 4, 0));
}

TEST_CASE("memory counts from its creation on, and its domain's limit is told") {
  QuotaMemory memory(100 * granule);
  Fixture f({.memory_bytes = 32 * granule, .quota = memory.take(0, 1, {3 * granule})});
  Physical first, second;
  REQUIRE(f.context->create_memory(2 * granule, first) == Status::success);
  CHECK(memory.books.used_bytes(1) == 2 * granule);
  CHECK(f.context->create_memory(2 * granule, second) == Status::out_of_memory);
  CHECK(f.output(pegasus::device::Output::Kind::diagnostic).find("its domain's limit of 6.0 MiB") !=
        std::string::npos);
  CHECK(memory.books.used_bytes(1) == 2 * granule);
  first.reset();
  CHECK(memory.books.used_bytes(1) == 0);
  CHECK(f.context->create_memory(3 * granule, second) == Status::success);
}

TEST_CASE("the accelerator's memory is the maximum, whatever the quota says") {
  Fixture f({.memory_bytes = 4 * granule});
  Physical memory, more;
  Address address = 0;
  REQUIRE(f.context->create_memory(3 * granule, memory) == Status::success);
  CHECK(f.context->create_memory(2 * granule, more) == Status::out_of_memory);
  CHECK(f.context->allocate(2 * granule, address) == Status::out_of_memory);
  CHECK(f.context->allocate(granule, address) == Status::success);
  CHECK(f.context->create_memory(granule, more) == Status::out_of_memory);
  memory.reset();
  CHECK(f.context->create_memory(3 * granule, more) == Status::success);
}

TEST_CASE("an eviction takes what is accessible, and its restoration brings all of it back") {
  QuotaMemory memory(100 * granule);
  Mapped f(Options{.memory_bytes = 32 * granule, .quota = memory.take(0, 1, {20 * granule})});
  std::uint64_t const before = f.context->memory_used();
  Physical const first = f.place(f.base, 3 * granule), second = f.place(f.base + 3 * granule, 2 * granule);
  Physical const closed = f.place(f.base + 8 * granule, granule),
                 unmapped = f.place(f.base + 10 * granule, granule);
  std::vector<std::uint32_t> values(5 * granule / 4);
  std::iota(values.begin(), values.end(), 9u);
  f.write(f.base, values);
  f.write<std::uint32_t>(f.base + 8 * granule, {1, 2, 3});
  f.write<std::uint32_t>(f.base + 10 * granule, {4, 5, 6});
  REQUIRE(f.context->set_access({f.base + 8 * granule, granule}, false) == Status::success);
  REQUIRE(f.context->unmap({f.base + 10 * granule, granule}) == Status::success);
  std::uint64_t const used = f.context->memory_used();
  CHECK(used == before + 7 * granule);

  REQUIRE(f.context->evict() == Status::success);
  CHECK(f.context->memory_used() == 2 * granule); // not even the module's
  CHECK(memory.books.used_bytes(1) == 2 * granule);
  REQUIRE(f.context->restore() == Status::success);
  CHECK(f.context->memory_used() == used);
  CHECK(memory.books.used_bytes(1) == used);

  CHECK(f.read<std::uint32_t>(f.base, values.size()) == values);
  REQUIRE(f.context->set_access({f.base + 8 * granule, granule}, true) == Status::success);
  REQUIRE(f.context->map({f.base + 10 * granule, granule}, *unmapped) == Status::success);
  REQUIRE(f.context->set_access({f.base + 10 * granule, granule}, true) == Status::success);
  CHECK(f.read<std::uint32_t>(f.base + 8 * granule, 3) == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(f.read<std::uint32_t>(f.base + 10 * granule, 3) == std::vector<std::uint32_t>{4, 5, 6});
  REQUIRE(f.context->unmap({f.base, 5 * granule}) == Status::success);
  CHECK(f.context->memory_used() == used);
}
