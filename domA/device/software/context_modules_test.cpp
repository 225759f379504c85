// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/software/context_test_fixture.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Output;

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
