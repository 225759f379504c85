// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/software/testing/run_once.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Output;

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
