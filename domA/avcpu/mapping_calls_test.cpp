// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/mapping_calls.h"

#include "domA/avcpu/call_handler.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

using namespace pegasus;
using device::Status;

namespace {

constexpr std::uint64_t unit = PEGASUS_MAPPING_GRANULE;

// Writes down what it is asked for.
class Recorder final : public testing::NullContext {
public:
  class Memory final : public device::PhysicalMemory {
  public:
    explicit Memory(std::string& log) : log_(log) {}
    Memory(Memory const&) = delete;
    Memory& operator=(Memory const&) = delete;
    ~Memory() override { log_ += "released "; }

  private:
    std::string& log_;
  };

  explicit Recorder(std::string& log) : log_(log) {}
  Status reserve_addresses(std::uint64_t bytes, std::uint64_t alignment, device::Address hint,
                           device::Address& base) override {
    base = 7 * unit;
    return say("reserve ", bytes, alignment, hint);
  }
  Status free_addresses(device::Range range) override { return say("free ", range.base, range.bytes); }
  Status create_memory(std::uint64_t bytes, std::unique_ptr<device::PhysicalMemory>& memory) override {
    memory = std::make_unique<Memory>(log_);
    return say("create ", bytes);
  }
  Status map(device::Range range, device::PhysicalMemory& memory) override {
    REQUIRE(dynamic_cast<Memory*>(&memory) != nullptr);
    return say("map ", range.base, range.bytes);
  }
  Status unmap(device::Range range) override { return say("unmap ", range.base, range.bytes); }
  Status set_access(device::Range range, bool accessible) override {
    return say("access ", range.base, range.bytes, accessible);
  }

private:
  template <class... Values> Status say(char const* what, Values... values) {
    log_ += what;
    ((log_ += std::to_string(values) + " "), ...);
    return Status::success;
  }
  std::string& log_;
};

struct Guest {
  std::string log;
  avcpu::CallHandler handler{[](void* written) -> std::unique_ptr<device::Context> {
                               return std::make_unique<Recorder>(*static_cast<std::string*>(written));
                             },
                             &log};
  avcpu::CallResult last;

  template <class Request> Status call(std::uint16_t number, Request const& body) {
    pegasus_request request{};
    request.call = number;
    std::memcpy(request.body, &body, sizeof body);
    last = handler.execute(request, {}, testing::EndlessSlice());
    return last.status;
  }
  std::uint64_t reply() const { // its first field
    std::uint64_t value = 0;
    std::memcpy(&value, last.body, sizeof value);
    return value;
  }
  Status release(std::uint64_t memory) {
    return call(PEGASUS_CALL_PHYSICAL_RELEASE, pegasus_physical_release_request{memory});
  }
  Status map(std::uint64_t memory) {
    return call(PEGASUS_CALL_MEMORY_MAP, pegasus_memory_map_request{memory, 7 * unit, unit});
  }
};

} // namespace

TEST_CASE("what a guest reserves, maps and unmaps reaches the device") {
  Guest guest;
  CHECK(guest.call(PEGASUS_CALL_ADDRESSES_RESERVE, pegasus_addresses_reserve_request{1, 2, 3}) ==
        Status::success);
  CHECK(guest.reply() == 7 * unit);
  CHECK(guest.call(PEGASUS_CALL_ADDRESSES_FREE, pegasus_addresses_free_request{4, 5}) == Status::success);
  CHECK(guest.call(PEGASUS_CALL_MEMORY_UNMAP, pegasus_memory_unmap_request{6, 7}) == Status::success);
  CHECK(guest.log == "reserve 1 2 3 free 4 5 unmap 6 7 ");
}

TEST_CASE("memory is named by a handle, until it is released") {
  Guest guest;
  REQUIRE(guest.call(PEGASUS_CALL_PHYSICAL_CREATE, pegasus_physical_create_request{unit}) == Status::success);
  std::uint64_t const memory = guest.reply();
  CHECK(guest.map(memory) == Status::success);
  CHECK(guest.map(memory + 1) == Status::invalid_handle);
  CHECK(guest.map(0) == Status::invalid_handle);
  CHECK(guest.release(memory) == Status::success);
  CHECK(guest.log == "create 2097152 map 14680064 2097152 released ");
  CHECK(guest.release(memory) == Status::invalid_handle);
  CHECK(guest.map(memory) == Status::invalid_handle);
}

TEST_CASE("a handle of another kind names no memory") {
  Guest guest;
  REQUIRE(guest.call(PEGASUS_CALL_EVENT_CREATE, pegasus_event_create_request{}) == Status::success);
  CHECK(guest.map(guest.reply()) == Status::invalid_handle);
}

TEST_CASE("a reset releases the handles before the device's context ends") {
  Guest guest;
  REQUIRE(guest.call(PEGASUS_CALL_PHYSICAL_CREATE, pegasus_physical_create_request{unit}) == Status::success);
  std::uint64_t const memory = guest.reply();
  REQUIRE(guest.call(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{}) == Status::success);
  CHECK(guest.log == "create 2097152 released ");
  CHECK(guest.map(memory) == Status::invalid_handle);
}

TEST_CASE("access is none or to read and write") {
  Guest guest;
  auto const set = [&](std::uint32_t access) {
    return guest.call(PEGASUS_CALL_MEMORY_SET_ACCESS, pegasus_memory_set_access_request{1, 2, access, 0});
  };
  CHECK(set(0) == Status::success);
  CHECK(set(3) == Status::success);
  CHECK(set(1) == Status::not_supported);
  CHECK(set(7) == Status::not_supported);
  CHECK(guest.log == "access 1 2 0 access 1 2 1 ");
}

TEST_CASE("a device without such memory refuses the calls") {
  avcpu::CallHandler handler{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<testing::NullContext>(); },
      nullptr};
  for (std::uint16_t call = PEGASUS_CALL_ADDRESSES_RESERVE; call <= PEGASUS_CALL_MEMORY_SET_ACCESS; ++call) {
    if (call == PEGASUS_CALL_PHYSICAL_RELEASE || call == PEGASUS_CALL_MEMORY_MAP) continue; // need a handle
    pegasus_request request{};
    request.call = call;
    CHECK(handler.execute(request, {}, testing::EndlessSlice()).status == Status::not_supported);
  }
}
