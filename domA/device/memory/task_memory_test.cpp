// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/task_memory.h"

#include "domA/device/memory/quota_test_fixture.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <span>
#include <vector>

using namespace pegasus::memory;
using pegasus::device::Address;
using pegasus::device::Range;
using pegasus::device::Status;
using pegasus::memory::test::QuotaMemory;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

// Gives addresses in turn, and fails as it is told to.
class Addresses final : public Backing {
public:
  std::uint64_t granule() const override { return 256; }
  Status room(Room& room) override {
    room = {free_bytes, 64 * mebibyte};
    return Status::success;
  }
  Status reserve(std::uint64_t bytes, Address& base) override {
    if (reserves != Status::success) return reserves;
    base = next;
    next += bytes + 256;
    return Status::success;
  }
  Status release(Range range) override {
    if (releases == Status::success) released.push_back(range.base);
    return releases;
  }
  Status map(Range range) override {
    if (maps == Status::success) held[range.base].assign(range.bytes, std::byte{});
    return maps;
  }
  Status unmap(Range range) override {
    if (unmaps_left == 0) return Status::unknown;
    --unmaps_left;
    if (unmaps == Status::success) held.erase(range.base);
    return unmaps;
  }
  Status read(Range range, std::span<std::byte> to) override {
    if (reads_left == 0) return Status::not_supported;
    --reads_left;
    std::ranges::copy(held.at(range.base), to.begin());
    return Status::success;
  }
  Status write(Range range, std::span<std::byte const> from) override {
    if (writes_left == 0) return Status::out_of_memory;
    --writes_left;
    held[range.base].assign(from.begin(), from.end());
    return Status::success;
  }
  void lose_task() override { ended = true; }
  int reads_left = 100, writes_left = 100, unmaps_left = 100;
  std::map<Address, std::vector<std::byte>> held; // by mapped ranges

  Status reserves = Status::success, releases = Status::success, maps = Status::success,
         unmaps = Status::success;
  Address next = 0x1000;
  std::uint64_t free_bytes = 64 * mebibyte;
  std::vector<Address> released;
  bool ended = false;
};

struct Task {
  QuotaMemory quota{100 * mebibyte};
  Ranges ranges;
  Addresses backing;
  TaskMemory memory{ranges, backing, quota.take(0, 1, {3 * mebibyte})};
  Address address = 0;

  [[nodiscard]] std::uint64_t charged() const { return quota.books.used_bytes(1); }
};

} // namespace

TEST_CASE("what is reserved counts until it is charged") {
  Task task;
  CHECK(!task.memory.reserve(4 * mebibyte));
  CHECK(!task.memory.reserve(~std::uint64_t{0}));
  REQUIRE(task.memory.reserve(2 * mebibyte));
  CHECK(task.charged() == 2 * mebibyte);
  task.memory.give_back();
  CHECK(task.charged() == 0);
}

TEST_CASE("what others took is charged, but is not the program's to free") {
  Task task;
  SECTION("in a range") { REQUIRE(task.ranges.add({0x10000000, 2 * mebibyte}, Owner::task, 2 * mebibyte)); }
  SECTION("pinned") { task.memory.pin(2 * mebibyte); }
  REQUIRE(task.memory.charge_used());
  CHECK(task.memory.allocate(2 * mebibyte, task.address) == Status::out_of_memory);
  CHECK(task.memory.free(0x10000000) == Status::invalid_value);
  CHECK(task.memory.allocate(mebibyte, task.address) == Status::success);
  CHECK(task.memory.free(task.address) == Status::success);
  CHECK(task.charged() == 2 * mebibyte);
}

TEST_CASE("an allocation is charged in whole granules, from before it is there until after it is gone") {
  Task task;
  REQUIRE(task.memory.allocate(257, task.address) == Status::success);
  CHECK(task.charged() == 512);
  Range range;
  CHECK(task.memory.range(task.address + 256, range) == Status::success);
  CHECK(range.bytes == 257);
  CHECK(task.memory.range(task.address + 257, range) == Status::not_found);
  SECTION("freed") {
    CHECK(task.memory.free(task.address) == Status::success);
    CHECK(task.memory.free(task.address) == Status::invalid_value);
    CHECK(task.charged() == 0);
  }
  SECTION("not freed, as the device is still busy with it or refuses") {
    (GENERATE(true, false) ? task.backing.unmaps : task.backing.releases) = Status::unknown;
    CHECK(task.memory.free(task.address) == Status::unknown);
    CHECK(task.charged() == 512);
  }
}

TEST_CASE("sizes that no device has are refused") {
  Task task;
  CHECK(task.memory.allocate(0, task.address) == Status::invalid_value);
  CHECK(task.memory.allocate(~std::uint64_t{0}, task.address) == Status::out_of_memory);
  CHECK(task.charged() == 0);
}

TEST_CASE("an allocation that fails costs nothing and leaves nothing behind") {
  Task task;
  SECTION("no addresses") { task.backing.reserves = Status::out_of_memory; }
  SECTION("no memory, or it is not zeroed") { task.backing.maps = Status::unknown; }
  CHECK(task.memory.allocate(512, task.address) != Status::success);
  CHECK(task.charged() == 0);
  CHECK(task.address == 0);
  CHECK(task.ranges.charged() == 0);
  CHECK(!task.backing.ended);
}

TEST_CASE("memory that is neither zeroed nor given back ends the task, and stays charged") {
  Task task;
  task.backing.maps = task.backing.releases = Status::unknown;
  CHECK(task.memory.allocate(512, task.address) == Status::unknown);
  CHECK(task.backing.ended);
  CHECK(task.charged() == 512);
}

TEST_CASE("addresses that are the program's already are neither its twice nor released") {
  Task task;
  REQUIRE(task.memory.allocate(512, task.address) == Status::success);
  task.backing.next = task.address;
  Address again = 0;
  CHECK(task.memory.allocate(512, again) == Status::unknown);
  CHECK(task.backing.released.empty());
  CHECK(task.charged() == 512);
}

TEST_CASE("a program is told of no more memory than its domain or the device has left") {
  Task task;
  std::uint64_t free_bytes = 0, total_bytes = 0;
  REQUIRE(task.memory.allocate(mebibyte, task.address) == Status::success);
  REQUIRE(task.memory.info(free_bytes, total_bytes) == Status::success);
  CHECK(free_bytes == 2 * mebibyte);
  CHECK(total_bytes == 3 * mebibyte);
  task.backing.free_bytes = 0;
  REQUIRE(task.memory.info(free_bytes, total_bytes) == Status::success);
  CHECK(free_bytes == 0);
}

TEST_CASE("a program is told once why it gets no memory") {
  Task task;
  CHECK(task.memory.refusal(mebibyte).empty());
  CHECK(task.memory.refusal(4 * mebibyte).find("its domain's limit") != std::string::npos);
  CHECK(task.memory.refusal(4 * mebibyte).empty());
}

namespace {

// Two allocations with something in them.
struct Filled : Task {
  Address other = 0;
  Filled() {
    REQUIRE(memory.allocate(mebibyte, address) == Status::success);
    REQUIRE(memory.allocate(1000, other) == Status::success);
    backing.held.at(address).assign(mebibyte, std::byte{7});
    backing.held.at(other).assign(1000, std::byte{8});
  }
  [[nodiscard]] bool whole() const {
    return backing.held.size() == 2 &&
           std::ranges::count(backing.held.at(address), std::byte{7}) == mebibyte &&
           std::ranges::count(backing.held.at(other), std::byte{8}) == 1000;
  }
};

} // namespace

TEST_CASE("what is evicted takes nothing of the device, and comes back as it was") {
  Filled task;
  task.memory.pin(4096);
  REQUIRE(task.memory.charge_used());
  REQUIRE(task.memory.evict() == Status::success);
  CHECK(task.backing.held.empty());
  CHECK(task.backing.released.empty()); // the addresses stay
  CHECK(task.charged() == 4096);
  CHECK(task.memory.used() == 4096);
  CHECK(task.memory.evicted_bytes() == mebibyte + 1024);
  CHECK(task.memory.evict() == Status::success); // nothing more
  CHECK(task.memory.evicted_bytes() == mebibyte + 1024);
  REQUIRE(task.memory.restore() == Status::success);
  CHECK(task.whole());
  CHECK(task.charged() == mebibyte + 1024 + 4096);
  CHECK(task.memory.restore() == Status::success);
  CHECK(task.memory.evicted_bytes() == 0);
  CHECK(task.memory.free(task.address) == Status::success);
}

TEST_CASE("what others took meanwhile is not taken from them") {
  Filled task;
  REQUIRE(task.memory.evict() == Status::success);
  Ranges ranges;
  TaskMemory second{ranges, task.backing, task.quota.take(1, 1, {3 * mebibyte})};
  Address taken = 0;
  REQUIRE(second.allocate(3 * mebibyte - 2048, taken) == Status::success);
  CHECK(task.memory.restore() == Status::out_of_memory);
  CHECK(task.memory.evicted_bytes() == mebibyte + 1024);
  CHECK(task.charged() == 3 * mebibyte - 2048);
  REQUIRE(second.free(taken) == Status::success);
  CHECK(task.memory.restore() == Status::success);
  CHECK(task.whole());
}

TEST_CASE("an eviction that fails half way leaves all where it was") {
  Filled task;
  SECTION("the memory cannot be read") {
    task.backing.reads_left = 1;
    CHECK(task.memory.evict() == Status::not_supported);
  }
  SECTION("the memory cannot be given back") {
    task.backing.unmaps = Status::unknown;
    CHECK(task.memory.evict() == Status::unknown);
  }
  CHECK(task.whole());
  CHECK(task.charged() == mebibyte + 1024);
  CHECK(task.memory.evicted_bytes() == 0);
}

TEST_CASE("an eviction that can be neither finished nor undone ends the task") {
  Filled task;
  task.backing.unmaps_left = 1;
  SECTION("it is undone") { CHECK(task.memory.evict() == Status::unknown); }
  SECTION("it is not") {
    task.backing.maps = Status::out_of_memory;
    CHECK(task.memory.evict() == Status::unknown);
  }
  CHECK(task.backing.ended == (task.backing.maps != Status::success));
  CHECK(task.backing.ended != task.whole());
}

TEST_CASE("what cannot be put back stays evicted, and goes back later") {
  Filled task;
  REQUIRE(task.memory.evict() == Status::success);
  task.backing.writes_left = 1;
  CHECK(task.memory.restore() == Status::out_of_memory);
  CHECK(task.memory.evicted_bytes() == mebibyte);
  CHECK(task.charged() == 1024);
  SECTION("it is restored") {
    task.backing.writes_left = 100;
    CHECK(task.memory.restore() == Status::success);
    CHECK(task.whole());
  }
  SECTION("it is evicted altogether") {
    CHECK(task.memory.evict() == Status::success);
    CHECK(task.memory.evicted_bytes() == mebibyte + 1024);
    CHECK(task.charged() == 0);
  }
}
