// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/shared/testing/engine.h"
#include "domA/device/software/testing/run_once.h"

#include <utility>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Address;

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
