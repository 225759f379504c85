// SPDX-License-Identifier: Apache-2.0
// The compute capability of a context: which images it takes, and what its kernels may use.
#include "domA/device/software/context_test_fixture.h"
#include "tests/support/time_slices.h"

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Status;
using pegasus::testing::EndlessSlice;

namespace {

constexpr std::string_view for_80 = R"(.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry last(.param .u64 p, .param .u64 offset)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [p];
  ld.param.u32 %r0, [offset];
  cp.async.ca.shared.global [%r0], [%rd0], 4;
  cp.async.wait_all;
  ld.shared.b32 %r1, [%r0];
  st.global.b32 [%rd0+4], %r1;
  ret;
}
)";

Options options_of(std::uint32_t compute_capability) {
  return {.memory_bytes = 64u << 20, .compute_capability = compute_capability};
}

std::string refusal(Fixture& f, std::string_view ptx) {
  std::string const text(ptx);
  std::unique_ptr<pegasus::device::Module> module;
  std::string log;
  CHECK(f.context->load_module(std::as_bytes(std::span(text.c_str(), text.size() + 1)), image_fatbin_or_ptx,
                               module, log) == Status::no_binary_for_gpu);
  return log;
}

} // namespace

TEST_CASE("a module for 8.0 is refused by 7.5, with the option that would take it") {
  Fixture f(options_of(75));
  CHECK_THAT(refusal(f, for_80),
             Catch::Contains("PTX for compute_80") && Catch::Contains("device of compute capability 7.5") &&
                 Catch::EndsWith("or give pegasusd or `pegasus run` --compute-capability 8.0"));
  std::string newer(for_80);
  newer.replace(newer.find("sm_80"), 5, "sm_90");
  CHECK_THAT(refusal(f, newer), !Catch::Contains("--compute-capability"));
  Fixture f_80(options_of(80));
  CHECK_THAT(refusal(f_80, newer), Catch::Contains("compute capability 8.0") &&
                                       Catch::Contains("compute_80 or lower") &&
                                       !Catch::Contains("--compute-capability"));
}

TEST_CASE("8.0 runs it, with more shared memory for a block") {
  Fixture f(options_of(80));
  auto const module = f.load(for_80);
  pegasus::device::Function* const last = module->function("last");
  REQUIRE(last != nullptr);
  CHECK(last->info().binary_version == 80);
  CHECK(last->info().ptx_version == 80);
  constexpr std::int32_t max_dynamic_shared = 8; // CUfunction_attribute
  constexpr std::uint32_t most = 163 * 1024;
  CHECK(last->set_attribute(max_dynamic_shared, most + 1) == Status::invalid_value);
  REQUIRE(last->set_attribute(max_dynamic_shared, most) == Status::success);
  auto const at = f.allocate(8);
  f.write<std::uint32_t>(at, {7, 0});
  auto const parameters = pack({at, most - 4});
  REQUIRE(f.context->launch(nullptr, *last, {{1, 1, 1}, {1, 1, 1}, most, false, parameters},
                            EndlessSlice()) == Status::success);
  CHECK(f.context->synchronize() == Status::success);
  CHECK(f.read<std::uint32_t>(at, 2) == std::vector<std::uint32_t>{7, 7});
}

TEST_CASE("7.5 has less, and 8.0 runs what 7.5 runs") {
  Fixture f(options_of(75));
  auto const module = f.load(kernels);
  CHECK(module->function("shared")->info().binary_version == 75);
  CHECK(module->function("shared")->set_attribute(8, 64 * 1024) == Status::invalid_value);
  CHECK(module->function("shared")->set_attribute(8, 63 * 1024) == Status::success);
  Fixture f_80(options_of(80));
  CHECK(f_80.load(kernels)->function("shared") != nullptr);
}
