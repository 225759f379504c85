// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/software/testing/run_once.h"
#include "tests/support/time_slices.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
namespace testing = pegasus::testing;
using pegasus::device::Address;
using pegasus::device::Output;

TEST_CASE("an interrupted launch that faults tells it as any other") {
  Fixture f;
  auto module = f.load(kernels);
  auto* const function = module->function("fail");
  Status const status =
      f.context->launch(nullptr, *function, {{4, 1, 1}, {1, 1, 1}, 0, false, {}}, testing::CountedSlice(0));
  CHECK(status == Status::not_ready);
  CHECK(f.context->resume(testing::EndlessSlice()) == Status::success);
  CHECK(f.context->synchronize() == Status::launch_failed);
}

TEST_CASE("a fault is told by the next call and by every one after it") {
  struct Row {
    std::string_view kernel;
    std::uint64_t offset;
    Status status;
  };
  Row const rows[] = {
      {"store", 2, Status::misaligned_address},
      {"store", 1 << 20, Status::illegal_address},
      {"fail", 0, Status::launch_failed},
  };
  for (auto const& row : rows) {
    INFO(row.kernel << " + " << row.offset);
    Fixture f;
    auto module = f.load(kernels);
    Address const p = f.allocate(256);
    std::unique_ptr<pegasus::device::Event> event;
    REQUIRE(f.context->create_event(0, event) == Status::success);
    auto const arguments =
        row.kernel == "store" ? std::vector<std::uint64_t>{p + row.offset, 7} : std::vector<std::uint64_t>{};
    CHECK(run_once(f, *module, row.kernel, arguments) == Status::success); // asynchronous, as in CUDA
    Status const sticky = f.context->synchronize();
    if (row.kernel == "store")
      CHECK(sticky == row.status);
    else
      CHECK((sticky == Status::launch_failed || sticky == Status::illegal_instruction)); // trap

    auto& c = *f.context;
    std::byte bytes[4] = {};
    Address address = 0;
    std::uint64_t value = 4096;
    pegasus::device::Range range;
    std::unique_ptr<pegasus::device::Stream> stream;
    float ms = 0;
    CHECK(c.synchronize() == sticky);
    CHECK(c.allocate(4, address) == sticky);
    CHECK(c.free(p) == sticky);
    CHECK(c.memory_info(value, value) == sticky);
    CHECK(c.memory_range(p, range) == sticky);
    CHECK(c.copy_to_device(nullptr, {p, 0, 4, 1}, bytes) == sticky);
    CHECK(c.copy_from_device(nullptr, bytes, {p, 0, 4, 1}) == sticky);
    CHECK(c.copy_device(nullptr, {p, 0, 4, 1}, p, 0) == sticky);
    CHECK(c.fill(nullptr, {p, 0, 4, 1}, 0, 1) == sticky);
    CHECK(run_once(f, *module, "bounded", {}) == sticky);
    CHECK(c.create_stream(0, 0, stream) == sticky);
    CHECK(c.stream_query(nullptr) == sticky);
    CHECK(c.event_record(*event, nullptr) == sticky);
    CHECK(c.event_query(*event) == sticky);
    CHECK(c.event_elapsed(*event, *event, ms) == sticky);
    CHECK(c.set_limit(0, value) == sticky);
    CHECK(module->function("shared")->set_attribute(9, 0) == sticky);

    std::string const told = f.output(Output::Kind::diagnostic); // output is still returned
    CHECK(told.find(row.kernel) != std::string::npos);
    CHECK(c.memory_used() > 0);
  }
}

TEST_CASE("a fault of one context leaves another alone") {
  Fixture bad;
  Fixture good;
  auto broken = bad.load(kernels);
  auto module = good.load(kernels);
  CHECK(run_once(bad, *broken, "store", {0, 7}) == Status::success);
  CHECK(bad.context->synchronize() == Status::illegal_address);
  Address const p = good.allocate(4);
  CHECK(run_once(good, *module, "store", {p, 7}) == Status::success);
  CHECK(good.read<std::uint32_t>(p, 1) == std::vector<std::uint32_t>{7});
}
