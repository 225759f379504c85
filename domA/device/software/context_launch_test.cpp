// SPDX-License-Identifier: Apache-2.0
// Modules, launches, faults, output and the engine.
#include "domA/device/software/context.h"

#include "domA/device/shared/testing/engine.h"
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

#include <numeric>
#include <utility>

using namespace pegasus::software;
using namespace pegasus::software::test;
namespace testing = pegasus::testing;
using pegasus::device::Address;
using pegasus::device::Output;

namespace {

struct Shape {
  pegasus::device::Dim3 grid{1, 1, 1};
  pegasus::device::Dim3 block{1, 1, 1};
  std::uint32_t shared = 0;
  bool cooperative = false;
};

Status run_once(Fixture& f, pegasus::device::Module& module, std::string_view name,
                std::vector<std::uint64_t> const& arguments, Shape const& shape = {}) {
  auto* const function = module.function(name);
  REQUIRE(function != nullptr);
  auto const bytes = pack(arguments);
  return f.context->launch(nullptr, *function,
                           {shape.grid, shape.block, shape.shared, shape.cooperative, bytes},
                           testing::EndlessSlice());
}

} // namespace

TEST_CASE("a kernel does its work") {
  Fixture f;
  auto module = f.load(kernels);
  Address const p = f.allocate(4 * 1000);
  REQUIRE(run_once(f, *module, "index", {p}, {.grid = {10, 1, 1}, .block = {100, 1, 1}}) == Status::success);
  std::vector<std::uint32_t> expected(1000);
  for (std::uint32_t i = 0; i < 1000; ++i)
    expected[i] = 3 * i;
  CHECK(f.read<std::uint32_t>(p, 1000) == expected);
  CHECK(f.context->device_busy().count() > 0);
  CHECK(module->function("index") == module->function("index"));
  CHECK(module->function("no such kernel") == nullptr);
  CHECK_FALSE(f.context->output_pending());
}

TEST_CASE(
    "a launch is interrupted between blocks when its time slice is over, and goes on where it stopped") {
  Fixture f;
  auto module = f.load(kernels);
  Address const p = f.allocate(4 * 1000);
  auto* const function = module->function("index");
  auto bytes = pack({p});
  Status status = f.context->launch(nullptr, *function, {{10, 1, 1}, {100, 1, 1}, 0, false, bytes},
                                    testing::CountedSlice(3));
  bytes.assign(bytes.size(), std::byte{0xff}); // the parameters were copied
  CHECK(status == Status::not_ready);
  unsigned parts = 1;
  for (; status == Status::not_ready; ++parts) {
    auto const done = f.read<std::uint32_t>(p, 1000);
    CHECK(done[300 * parts - 1] == 3 * (300 * parts - 1));
    CHECK(done[300 * parts] == 0);
    status = f.context->resume(testing::CountedSlice(3));
  }
  CHECK(status == Status::success);
  CHECK(parts == 4);
  CHECK(f.read<std::uint32_t>(p, 1000)[999] == 3 * 999);
  CHECK(f.context->resume(testing::EndlessSlice()) == Status::illegal_state);
}

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

TEST_CASE("launches that cannot be carried out are refused and harm nothing") {
  Fixture f;
  auto module = f.load(kernels);
  struct Row {
    Shape launch;
    Status status;
  };
  Row const rows[] = {
      {{.grid = {0, 1, 1}}, Status::invalid_value},
      {{.grid = {1, 65536, 1}}, Status::invalid_value},
      {{.grid = {1, 1, 65536}}, Status::invalid_value},
      {{.grid = {0x80000000, 1, 1}}, Status::invalid_value},
      {{.block = {1, 0, 1}}, Status::invalid_value},
      {{.block = {1025, 1, 1}}, Status::invalid_value},
      {{.block = {1, 1, 65}}, Status::invalid_value},
      {{.block = {32, 33, 1}}, Status::invalid_value},
      {{.block = {1024, 1024, 64}}, Status::invalid_value},
      {{.block = {65, 1, 1}}, Status::launch_out_of_resources},
      {{.block = {64, 1, 1}}, Status::success},
      {{.shared = 48 * 1024 + 1}, Status::invalid_value},
      {{.shared = 48 * 1024}, Status::success},
      {{.cooperative = true}, Status::success},
      {{.grid = {256, 1, 1}, .cooperative = true}, Status::success},
      {{.grid = {2, 3, 43}, .cooperative = true}, Status::cooperative_launch_too_large},
      {{.grid = {17, 1, 1}, .shared = 48 * 1024, .cooperative = true}, Status::cooperative_launch_too_large},
      {{.grid = {32, 1, 1}, .shared = 32 * 1024, .cooperative = true}, Status::success},
      {{.grid = {0x7fffffff, 65535, 65535}, .cooperative = true}, Status::cooperative_launch_too_large},
  };
  for (auto const& [launch, status] : rows) {
    INFO(launch.grid[0] << "," << launch.grid[1] << "," << launch.grid[2] << " x " << launch.block[0] << ","
                        << launch.block[1] << "," << launch.block[2] << " + " << launch.shared);
    CHECK(run_once(f, *module, "bounded", {}, launch) == status);
  }
  CHECK(run_once(f, *module, "bounded", {1}) == Status::invalid_value); // the kernel has no such parameters
  CHECK(run_once(f, *module, "index", {}) == Status::invalid_value);
  CHECK(f.context->synchronize() == Status::success);
}

TEST_CASE("a function can be given more dynamic shared memory, up to 64 KiB with its static") {
  Fixture f;
  auto module = f.load(kernels);
  auto* const function = module->function("shared");
  REQUIRE(function != nullptr);
  CHECK(function->info().static_shared_bytes == 1024);
  CHECK(function->info().max_dynamic_shared_bytes == 47 * 1024);
  CHECK(run_once(f, *module, "shared", {}, {.shared = 63 * 1024}) == Status::invalid_value);
  CHECK(function->set_attribute(8, 63 * 1024 + 1) == Status::invalid_value);
  CHECK(function->set_attribute(8, -1) == Status::invalid_value);
  CHECK(function->set_attribute(8, 63 * 1024) == Status::success);
  CHECK(function->info().max_dynamic_shared_bytes == 63 * 1024);
  CHECK(run_once(f, *module, "shared", {}, {.shared = 63 * 1024}) == Status::success);
  CHECK(function->set_attribute(9, 50) == Status::success);
  CHECK(function->set_attribute(9, -1) == Status::success);
  CHECK(function->set_attribute(9, 101) == Status::invalid_value);
  CHECK(function->set_attribute(0, 1) == Status::not_supported);
  CHECK(function->set_attribute(-7, 1) == Status::not_supported);
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

TEST_CASE("a kernel's text comes in order and within its bound") {
  Fixture f;
  auto module = f.load(kernels);
  REQUIRE(run_once(f, *module, "say", {5}) == Status::success);
  REQUIRE(run_once(f, *module, "say", {6}) == Status::success);
  CHECK(f.context->output_pending());
  CHECK(f.context->take_output(3).text == "num");
  CHECK(f.output(Output::Kind::printf_text) == "ber 5\nnumber 6\n");
  CHECK_FALSE(f.context->output_pending());

  std::uint64_t fifo = 4096;
  REQUIRE(f.context->set_limit(1, fifo) == Status::success);
  for (int i = 0; i < 10; ++i)
    REQUIRE(run_once(f, *module, "say", {7}, {.block = {100, 1, 1}}) == Status::success);
  std::string const text = f.output(Output::Kind::printf_text);
  CHECK(text.size() <= 4096);
  CHECK(text.size() > 4000);
  CHECK(text.substr(0, 9) == "number 7\n");
}

TEST_CASE("modules that cannot be loaded say why") {
  Fixture f;
  auto const load = [&](std::string const& text, std::string& log) {
    std::unique_ptr<pegasus::device::Module> module;
    Status const status = f.context->load_module(std::as_bytes(std::span(text.c_str(), text.size() + 1)),
                                                 image_fatbin_or_ptx, module, log);
    CHECK(module == nullptr);
    return status;
  };
  std::string log;
  CHECK(load(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n  ret\n}\n", log) ==
        Status::invalid_ptx);
  CHECK(log.find("line") != std::string::npos);
  CHECK(f.output(Output::Kind::diagnostic).find(log) != std::string::npos);
  CHECK(load("", log) != Status::success);
  CHECK_FALSE(log.empty());
  CHECK(f.context->load_module({}, image_fatbin_or_ptx,
                               *std::make_unique<std::unique_ptr<pegasus::device::Module>>(),
                               log) != Status::success);
  CHECK(f.context->synchronize() == Status::success);
  CHECK(f.context->memory_used() == 0);
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

TEST_CASE("kernels, fills and device copies take the engine; host copies do not") {
  pegasus::shared::testing::Engine engine{3};
  pegasus::shared::EngineClient slot = engine.client(3);
  Fixture f({.memory_bytes = 64 << 20, .engine = &slot});
  auto module = f.load(kernels);
  Address const p = f.allocate(4096);
  f.write(p, std::vector<std::uint32_t>(1024, 1));
  CHECK(engine.place(3).released_ns == 0);
  CHECK(f.context->device_busy().count() == 0);
  std::uint32_t before = 0;
  auto const took_engine = [&] {
    std::uint32_t const now = engine.place(3).left;
    return std::exchange(before, now) != now && !engine.has_ticket(3);
  };
  REQUIRE(f.context->fill(nullptr, {p, 0, 4096, 1}, 1, 4) == Status::success);
  CHECK(took_engine());
  REQUIRE(f.context->copy_device(nullptr, {p, 0, 64, 1}, p + 64, 0) == Status::success);
  CHECK(took_engine());
  REQUIRE(run_once(f, *module, "store", {p, 7}) == Status::success);
  CHECK(took_engine());
  CHECK(f.read<std::uint32_t>(p, 1) == std::vector<std::uint32_t>{7});
  CHECK_FALSE(took_engine());
  CHECK(run_once(f, *module, "store", {0, 7}) == Status::success);
  CHECK(took_engine()); // a fault releases it
}

TEST_CASE("there are no clusters of blocks; other attributes are ignored") {
  Fixture f;
  auto module = f.load(kernels);
  auto const bytes = pack({f.allocate(4 * 8)});
  pegasus::device::Launch launch{{8, 1, 1}, {1, 1, 1}, 0, false, bytes};
  auto const run = [&] {
    return f.context->launch(nullptr, *module->function("index"), launch, testing::EndlessSlice());
  };
  launch.attributes.cluster = {2, 1, 1};
  CHECK(run() == Status::invalid_cluster_size);
  launch.attributes.cluster = {1, 1, 1};
  launch.attributes.priority = -3;
  launch.attributes.programmatic = true;
  CHECK(run() == Status::success);
}
