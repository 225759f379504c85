// SPDX-License-Identifier: Apache-2.0
// Streams, events and limits.
#include "domA/device/software/context.h"

#include "domA/device/software/testing/run_once.h"
#include "tests/support/time_slices.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Event;
using pegasus::device::Stream;

TEST_CASE("streams are always done, of whatever kind") {
  Fixture f;
  std::unique_ptr<Stream> stream;
  for (std::uint32_t const flags : {0u, 1u}) {
    REQUIRE(f.context->create_stream(flags, -5, stream) == Status::success);
    CHECK(f.context->stream_query(stream.get()) == Status::success);
    CHECK(f.context->stream_synchronize(stream.get()) == Status::success);
  }
  CHECK(f.context->create_stream(2, 0, stream) == Status::invalid_value);
  CHECK(f.context->stream_query(nullptr) == Status::success);
  CHECK(f.context->synchronize() == Status::success);
}

TEST_CASE("event flags are those of cuEventCreate") {
  Fixture f;
  std::unique_ptr<Event> event;
  std::pair<std::uint32_t, Status> const rows[] = {
      {0, Status::success},       {1, Status::success},       {2, Status::success},
      {3, Status::success},       {4, Status::invalid_value}, {6, Status::not_supported},
      {8, Status::invalid_value},
  };
  for (auto const& [flags, status] : rows) {
    INFO("flags " << flags);
    CHECK(f.context->create_event(flags, event) == status);
  }
}

TEST_CASE("events take the time when they are recorded") {
  Fixture f;
  std::unique_ptr<Event> start;
  std::unique_ptr<Event> end;
  std::unique_ptr<Event> timeless;
  REQUIRE(f.context->create_event(0, start) == Status::success);
  REQUIRE(f.context->create_event(1, end) == Status::success);
  REQUIRE(f.context->create_event(2, timeless) == Status::success);
  float ms = -1;
  CHECK(f.context->event_query(*start) == Status::success); // never recorded counts as complete
  CHECK(f.context->event_synchronize(*start) == Status::success);
  CHECK(f.context->event_elapsed(*start, *end, ms) == Status::invalid_handle);
  REQUIRE(f.context->event_record(*start, nullptr) == Status::success);
  CHECK(f.context->event_elapsed(*start, *end, ms) == Status::invalid_handle);

  auto const address = f.allocate(16 << 20);
  REQUIRE(f.context->fill(nullptr, {address, 0, 16 << 20, 1}, 1, 4) == Status::success);
  REQUIRE(f.context->event_record(*end, nullptr) == Status::success);
  REQUIRE(f.context->event_record(*timeless, nullptr) == Status::success);
  CHECK(f.context->event_elapsed(*start, *end, ms) == Status::success);
  auto const busy = std::chrono::duration<float, std::milli>(f.context->device_busy()).count();
  CHECK(busy > 0);
  CHECK(ms >= busy * 0.999f); // the fill lies between them
  float back = 0;
  CHECK(f.context->event_elapsed(*end, *start, back) == Status::success);
  CHECK(back == -ms);
  CHECK(f.context->event_elapsed(*start, *timeless, ms) == Status::invalid_handle);
  CHECK(f.context->stream_wait(nullptr, *end) == Status::success);
}

TEST_CASE("handles of another context are refused") {
  Fixture mine;
  Fixture other;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> event;
  REQUIRE(other.context->create_stream(0, 0, stream) == Status::success);
  REQUIRE(other.context->create_event(0, event) == Status::success);
  auto const address = mine.allocate(4);
  std::byte bytes[4] = {};
  float ms = 0;
  CHECK(mine.context->stream_query(stream.get()) == Status::invalid_handle);
  CHECK(mine.context->stream_wait(nullptr, *event) == Status::invalid_handle);
  CHECK(mine.context->event_record(*event, nullptr) == Status::invalid_handle);
  CHECK(mine.context->event_query(*event) == Status::invalid_handle);
  CHECK(mine.context->event_elapsed(*event, *event, ms) == Status::invalid_handle);
  CHECK(mine.context->copy_to_device(stream.get(), {address, 0, 4, 1}, bytes) == Status::invalid_handle);
  CHECK(mine.context->fill(stream.get(), {address, 0, 4, 1}, 0, 1) == Status::invalid_handle);

  // A stream of another backend.
  struct Foreign final : Stream {
  } foreign;
  CHECK(mine.context->stream_query(&foreign) == Status::invalid_handle);

  auto module = other.load(kernels);
  auto* const function = module->function("bounded");
  REQUIRE(function != nullptr);
  CHECK(mine.context->launch(nullptr, *function, {}, pegasus::testing::EndlessSlice()) ==
        Status::invalid_handle);
}

TEST_CASE("limits are clamped to what is possible and told back") {
  Fixture f;
  struct Row {
    std::uint32_t limit;
    std::uint64_t asked;
    std::uint64_t in_force;
    Status status;
  };
  constexpr auto unsupported = Status{215};
  Row const rows[] = {
      {0, 16384, 16384, Status::success},
      {0, 1, 1024, Status::success},
      {0, ~std::uint64_t{0}, 524288, Status::success},
      {1, 2 << 20, 2 << 20, Status::success},
      {1, 0, 4096, Status::success},
      {2, 1 << 20, 1 << 20, Status::success},
      {2, ~std::uint64_t{0}, 64 << 20, Status::success},
      {5, 64, 64, Status::success},
      {5, 4096, 128, Status::success},
      {3, 2, 2, unsupported},
      {6, 1, 1, unsupported},
      {99, 1, 1, unsupported},
  };
  for (auto const& row : rows) {
    INFO("limit " << row.limit << " value " << row.asked);
    std::uint64_t value = row.asked;
    CHECK(f.context->set_limit(row.limit, value) == row.status);
    CHECK(value == row.in_force);
  }
}

TEST_CASE("the heap's size can be set until a kernel has run") {
  Fixture f;
  auto module = f.load(kernels);
  std::uint64_t size = 1 << 20;
  REQUIRE(f.context->set_limit(2, size) == Status::success);
  REQUIRE(run_once(f, *module, "bounded", {}) == Status::success);
  CHECK(f.context->set_limit(2, size) == Status::success); // unchanged
  size = 2 << 20;
  CHECK(f.context->set_limit(2, size) == Status::invalid_value);
}
