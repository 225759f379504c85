// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/software/testing/run_once.h"
#include "tests/support/time_slices.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
namespace testing = pegasus::testing;
using pegasus::device::Address;

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
