// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/pool_memory.h"

#include <catch2/catch.hpp>

using pegasus::driver::PoolMemory;
using Blocks = std::vector<PoolMemory::Block>;

namespace {

constexpr std::uint64_t stream = 7, other_stream = 8;

PoolMemory with_kept(std::initializer_list<PoolMemory::Block> blocks) {
  PoolMemory memory;
  for (auto const& [freed_in, bytes, base] : blocks) {
    memory.add(base, bytes);
    REQUIRE(memory.keep(base, freed_in));
  }
  return memory;
}

} // namespace

TEST_CASE("a block is used again by the stream in which it was freed, and only once") {
  PoolMemory memory = with_kept({{stream, 1000, 0x1000}});
  CHECK_FALSE(memory.reuse(other_stream, 1000));
  CHECK(memory.reuse(stream, 1000) == 0x1000u);
  CHECK_FALSE(memory.reuse(stream, 1000));
  CHECK_FALSE(memory.keeps());
}

TEST_CASE("the smallest block that is large enough is used, and an eighth of it is the most that is wasted") {
  PoolMemory memory = with_kept({{stream, 1125, 0x1000}, {stream, 1000, 0x2000}, {stream, 999, 0x3000}});
  CHECK(memory.reuse(stream, 1000) == 0x2000u);
  CHECK(memory.reuse(stream, 1000) == 0x1000u);
  CHECK_FALSE(memory.reuse(stream, 1000));
  CHECK_FALSE(memory.reuse(stream, 887));
  CHECK(memory.reuse(stream, 888) == 0x3000u);
}

TEST_CASE("a pool knows what is used and what it has reserved, now and at most") {
  PoolMemory memory;
  memory.add(0x1000, 100);
  memory.add(0x2000, 50);
  CHECK(memory.used() == 150);
  CHECK(memory.keep(0x1000, stream));
  CHECK_FALSE(memory.keep(0x1000, stream));
  CHECK_FALSE(memory.keep(0x9000, stream));
  CHECK(memory.used() == 50);
  CHECK(memory.reserved() == 150);
  memory.remove(0x2000);
  memory.remove(0x2000);
  CHECK(memory.used() == 0);
  CHECK(memory.reserved() == 100);
  CHECK(memory.used_high() == 150);
  CHECK(memory.reserved_high() == 150);
  memory.reset_used_high();
  memory.reset_reserved_high();
  CHECK(memory.used_high() == 0);
  CHECK(memory.reserved_high() == 100);
  CHECK(memory.reuse(stream, 95) == 0x1000u);
  CHECK(memory.used() == 100); // the whole block
  CHECK(memory.used_high() == 100);
}

TEST_CASE("kept blocks are given up until no more is reserved than is to be, the largest of a stream first") {
  constexpr std::uint64_t last_stream = ~std::uint64_t{0};
  PoolMemory memory = with_kept(
      {{stream, 10, 0x1000}, {stream, 30, 0x2000}, {other_stream, 20, 0x3000}, {last_stream, 5, 0x4000}});
  memory.add(0x5000, 100);
  CHECK(memory.take_kept(165).empty());
  CHECK(memory.take_kept(140, stream) == Blocks{{stream, 30, 0x2000}});
  CHECK(memory.take_kept(130, last_stream) == Blocks{{last_stream, 5, 0x4000}});
  CHECK(memory.take_kept(0) == Blocks{{other_stream, 20, 0x3000}, {stream, 10, 0x1000}});
  CHECK(memory.take_kept(0).empty());
  CHECK(memory.reserved() == 100);
}
