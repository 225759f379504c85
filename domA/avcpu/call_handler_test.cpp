// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/call_handler.h"

#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using namespace pegasus;
using avcpu::CallResult;
using device::Status;

namespace {

struct Handler {
  avcpu::CallHandler handler{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<testing::NullContext>(); },
      nullptr};
  std::vector<std::byte> arena = std::vector<std::byte>(8192);

  template <class Body> CallResult execute(std::uint16_t call, Body const& body, std::size_t data_bytes = 0) {
    pegasus_request request{};
    request.call = call;
    request.data_bytes = static_cast<std::uint32_t>(data_bytes);
    std::memcpy(request.body, &body, sizeof body);
    return handler.execute(request, std::span(arena).first(data_bytes), testing::EndlessSlice());
  }
  Status synchronize() {
    return execute(PEGASUS_CALL_CONTEXT_SYNCHRONIZE, pegasus_context_synchronize_request{}).status;
  }
  template <class Reply> static Reply body(CallResult const& result) {
    Reply reply;
    std::memcpy(&reply, result.body, sizeof reply);
    return reply;
  }
  std::uint64_t stream() {
    return body<pegasus_stream_create_reply>(
               execute(PEGASUS_CALL_STREAM_CREATE, pegasus_stream_create_request{}))
        .stream;
  }
  std::uint64_t event() {
    return body<pegasus_event_create_reply>(
               execute(PEGASUS_CALL_EVENT_CREATE, pegasus_event_create_request{}))
        .event;
  }
  std::uint64_t load_module() {
    CHECK(execute(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{4, 1, 0}).status ==
          Status::success);
    (void)execute(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 4);
    auto const loaded = execute(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
    CHECK(loaded.status == Status::success);
    return body<pegasus_module_load_reply>(loaded).module;
  }
  pegasus_module_function_reply function(std::uint64_t module) {
    arena[0] = std::byte{'k'};
    return body<pegasus_module_function_reply>(
        execute(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{module, 1, 0}, 4096));
  }
};

} // namespace

TEST_CASE("a posted call's failure is told once, by the next synchronizing call, the first one first") {
  Handler h;
  CallResult const posted = h.execute(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{7});
  CHECK_FALSE(posted.expected);
  (void)h.execute(PEGASUS_CALL_FILL, pegasus_fill_request{0, 0, 0, 1, 1, 3, 0}); // no element is 3 bytes wide
  // does not synchronize
  CHECK(h.execute(PEGASUS_CALL_PING, pegasus_ping_request{}).status == Status::success);
  CHECK(h.synchronize() == Status::invalid_handle);
  CHECK(h.synchronize() == Status::success);
}

TEST_CASE("unknown calls are answered") {
  Handler h;
  for (std::uint16_t const call : std::initializer_list<std::uint16_t>{0, 41, 999, 0xffff}) {
    CallResult const result = h.execute(call, pegasus_ping_request{});
    CHECK(result.expected);
    CHECK(result.status == Status::not_supported);
  }
}

TEST_CASE("handles that were never given find nothing") {
  Handler h;
  std::uint64_t const handle = GENERATE(std::uint64_t{0}, 1u, 1ull << 32, ~0ull);
  CHECK(h.execute(PEGASUS_CALL_MODULE_UNLOAD, pegasus_module_unload_request{handle}).status ==
        Status::invalid_handle);
  CHECK(h.execute(PEGASUS_CALL_MODULE_GLOBAL, pegasus_module_global_request{handle, 1, 0}, 1).status ==
        Status::invalid_handle);
  CHECK(h.execute(PEGASUS_CALL_EVENT_QUERY, pegasus_event_query_request{handle}).status ==
        Status::invalid_handle);
  CHECK(h.execute(PEGASUS_CALL_FUNCTION_SET_ATTRIBUTE, pegasus_function_set_attribute_request{handle, 8, 1})
            .status == Status::invalid_handle);
  pegasus_launch_request launch{};
  launch.function = handle;
  (void)h.execute(PEGASUS_CALL_LAUNCH, launch);
  CHECK(h.synchronize() == Status::invalid_handle);
}

TEST_CASE("stream 0 is the default stream, which only its context ends") {
  Handler h;
  CHECK(h.execute(PEGASUS_CALL_STREAM_QUERY, pegasus_stream_query_request{0}).status == Status::success);
  (void)h.execute(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{0});
  CHECK(h.synchronize() == Status::invalid_handle);
  CHECK(h.execute(PEGASUS_CALL_STREAM_QUERY, pegasus_stream_query_request{0}).status == Status::success);
}

TEST_CASE("each handle of a request must name something") {
  Handler h;
  auto const stream = h.stream();
  auto const event = h.event();
  auto record = [&](std::uint64_t of, std::uint64_t in) {
    (void)h.execute(PEGASUS_CALL_EVENT_RECORD, pegasus_event_record_request{of, in});
    return h.synchronize();
  };
  CHECK(record(event, stream) == Status::success);
  CHECK(record(event, 0) == Status::success);
  CHECK(record(event, 7) == Status::invalid_handle);
  CHECK(record(0, stream) == Status::invalid_handle);
}

TEST_CASE("which replies tell of posted calls") {
  Handler h;
  (void)h.execute(PEGASUS_CALL_EVENT_DESTROY, pegasus_event_destroy_request{7});
  auto const event = h.event(); // reports only its own status
  SECTION("its own failure first") {
    CHECK(
        h.execute(PEGASUS_CALL_COPY_FROM_DEVICE, pegasus_copy_from_device_request{0, 0, 0, 2, 2}, 3).status ==
        Status::invalid_value);
    CHECK(h.synchronize() == Status::invalid_handle);
  }
  SECTION("a copy is not begun") {
    h.arena[0] = std::byte{42};
    CHECK(
        h.execute(PEGASUS_CALL_COPY_FROM_DEVICE, pegasus_copy_from_device_request{0, 0, 0, 1, 1}, 1).status ==
        Status::invalid_handle);
    CHECK(h.arena[0] == std::byte{42});
  }
  SECTION("a query") {
    CHECK(h.execute(PEGASUS_CALL_EVENT_QUERY, pegasus_event_query_request{event}).status ==
          Status::invalid_handle);
    CHECK(h.execute(PEGASUS_CALL_EVENT_QUERY, pegasus_event_query_request{event}).status == Status::success);
  }
}

TEST_CASE("a module is collected in order and must be whole") {
  Handler h;
  auto begin = [&](std::uint64_t bytes) {
    return h.execute(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{bytes, 1, 0}).status;
  };
  auto data = [&](std::uint64_t offset, std::size_t bytes) {
    (void)h.execute(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{offset}, bytes);
    return h.synchronize();
  };
  auto load = [&] { return h.execute(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{}).status; };
  CHECK(begin(0) == Status::invalid_image);
  CHECK(begin(PEGASUS_MODULE_BYTES_MAX + 1ull) == Status::invalid_image);
  CHECK(load() == Status::invalid_image);
  REQUIRE(begin(100) == Status::success);
  CHECK(data(1, 50) == Status::invalid_value);  // a gap
  CHECK(data(0, 101) == Status::invalid_value); // more than announced
  CHECK(data(~0ull, 50) == Status::invalid_value);
  CHECK(data(0, 60) == Status::success);
  CHECK(load() == Status::invalid_image); // 40 bytes are missing
  REQUIRE(begin(100) == Status::success);
  CHECK(data(0, 60) == Status::success);
  CHECK(data(60, 40) == Status::success);
  CHECK(load() == Status::success);
}

TEST_CASE("functions go with their module") {
  Handler h;
  auto const module = h.load_module();
  auto const function = h.function(module);
  CHECK(function.function != 0);
  CHECK(function.parameter_bytes == 28);
  CHECK(function.parameter_count == 4);
  CHECK(function.parameters_written == 4);
  pegasus_parameter last;
  std::memcpy(&last, h.arena.data() + 3 * sizeof last, sizeof last);
  CHECK((last.offset == 24 && last.bytes == 4));
  CHECK(h.execute(PEGASUS_CALL_MODULE_UNLOAD, pegasus_module_unload_request{module}).status ==
        Status::success);
  pegasus_launch_request launch{};
  launch.function = function.function;
  (void)h.execute(PEGASUS_CALL_LAUNCH, launch);
  CHECK(h.synchronize() == Status::invalid_handle);
}

TEST_CASE("a launch's parameters must really be there") {
  static constexpr std::uint16_t body = PEGASUS_REQUEST_BODY - sizeof(pegasus_launch_request);
  Handler h;
  pegasus_launch_request launch{};
  launch.function = h.function(h.load_module()).function;
  auto const [parameter_bytes, arena_bytes, expected] = GENERATE(table<std::uint16_t, std::size_t, Status>({
      {28, 0, Status::success},   // inline
      {body, 0, Status::success}, // exactly fits the body
      {body + 1, 0, Status::invalid_value},
      {0xffff, 0, Status::invalid_value},
      {4000, 4000, Status::success},
      {4001, 4000, Status::invalid_value},
  }));
  launch.parameter_bytes = parameter_bytes;
  (void)h.execute(PEGASUS_CALL_LAUNCH, launch, arena_bytes);
  CHECK(h.synchronize() == expected);
}

TEST_CASE("copies must fill their data range exactly, without overflow") {
  Handler h;
  auto const [row_bytes, rows, data_bytes, expected] =
      GENERATE(table<std::uint64_t, std::uint64_t, std::size_t, Status>({
          {10, 10, 100, Status::success},
          {10, 10, 99, Status::invalid_value},
          {10, 10, 101, Status::invalid_value},
          {0, 10, 0, Status::invalid_value},
          {1ull << 32, 1ull << 32, 0, Status::invalid_value},
          {(1ull << 63) + 50, 2, 100, Status::invalid_value},
      }));
  CHECK(h.execute(PEGASUS_CALL_COPY_FROM_DEVICE, pegasus_copy_from_device_request{0, 0, 0, row_bytes, rows},
                  data_bytes)
            .status == expected);
  (void)h.execute(PEGASUS_CALL_COPY_TO_DEVICE, pegasus_copy_to_device_request{0, 0, 0, row_bytes, rows},
                  data_bytes);
  CHECK(h.synchronize() == expected);
}

TEST_CASE("fills are of elements at multiples of their size") {
  Handler h;
  auto const [address, pitch, rows, element_bytes, expected] =
      GENERATE(table<std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t, Status>({
          {3, 7, 2, 1, Status::success},
          {6, 10, 2, 2, Status::success},
          {8, 12, 2, 4, Status::success},
          {8, 10, 1, 4, Status::success}, // one row has no pitch
          {3, 0, 1, 2, Status::invalid_value},
          {6, 0, 1, 4, Status::invalid_value},
          {8, 10, 2, 4, Status::invalid_value},
          {8, 0, 1, 0, Status::invalid_value},
          {8, 0, 1, 3, Status::invalid_value},
          {8, 0, 1, 8, Status::invalid_value},
      }));
  (void)h.execute(PEGASUS_CALL_FILL, pegasus_fill_request{0, address, pitch, 3, rows, element_bytes, 0});
  CHECK(h.synchronize() == expected);
}

TEST_CASE("names longer than the data, or than any symbol, find nothing") {
  Handler h;
  auto const module = h.load_module();
  std::uint32_t const name_bytes = GENERATE(0u, 5u, 0xffffffffu);
  CHECK(h.execute(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{module, name_bytes, 0}, 4)
            .status == Status::not_found);
}

TEST_CASE("a reset frees all objects and forgets errors") {
  Handler h;
  auto const module = h.load_module();
  (void)h.execute(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{7});
  CHECK(h.execute(PEGASUS_CALL_CONTEXT_RESET, pegasus_context_reset_request{}).status == Status::success);
  CHECK(h.synchronize() == Status::success);
  CHECK(h.execute(PEGASUS_CALL_MODULE_UNLOAD, pegasus_module_unload_request{module}).status ==
        Status::invalid_handle);
}
