// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/plan.h"

#include <catch2/catch.hpp>

using namespace pegasus::relink;

namespace {

using Functions = std::vector<Function>;

Functions const ours = {
    {"__cudaRegisterFatBinary", 0x10, 16}, {"cudaLaunchKernel", 0x20, 16}, {"cudaMalloc", 0x30, 16}};
Functions const runtime = {
    {"cudaMalloc", 0x5000, 80}, {"__cudaRegisterFatBinary", 0x5100, 14}, {"cudaLaunchKernel", 0x5200, 300}};

Functions with(Functions functions, Function const& more) {
  functions.push_back(more);
  return functions;
}

} // namespace

TEST_CASE("each function of the runtime jumps to ours") {
  Plan const plan = plan_of(runtime, ours);
  CHECK(plan.refusal.empty());
  REQUIRE(plan.jumps.size() == 3);
  CHECK((plan.jumps[0].from == 0x5100 && plan.jumps[0].to == 0x10));
  CHECK((plan.jumps[2].from == 0x5000 && plan.jumps[2].to == 0x30));
}

TEST_CASE("a runtime need not have what later releases of CUDA 13 added") {
  Functions const newer = with(ours, {"cudaGreenCtxCreate", 0x40, 16});
  CHECK(plan_of(runtime, newer).jumps.size() == 3);
  CHECK(plan_of(with(runtime, {"cudaGreenCtxCreate", 0x5080, 16}), newer).jumps.size() == 4);
}

TEST_CASE("the release of a runtime is known by functions that others do not have") {
  CHECK(release_of(runtime) == 13);
  CHECK(release_of(with(runtime, {"cudaGetDeviceProperties_v2", 0x5080, 16})) == 12);
  CHECK(release_of(with(runtime, {"cudaBindTexture", 0x5080, 16})) == 11);
  CHECK(release_of({{"cudaGetDeviceProperties_v2", 0x10, 16}, {"cudaLaunchKernel", 0x20, 16}}) == 0);
}

TEST_CASE("a program's own functions are no runtime, whatever their names") {
  for (Functions const& object :
       {Functions{}, Functions{{"cudaCheck", 0x100, 50}, {"cudaLaunchKernel", 0x200, 50}}}) {
    Plan const plan = plan_of(object, ours);
    CHECK(plan.jumps.empty());
    CHECK(plan.refusal.empty());
  }
  CHECK(plan_of(with(runtime, {"cudaCheck", 0x100, 50}), ours).jumps.size() == 3);
  CHECK(plan_of(with(runtime, {"cudaCheck", 0x6000, 50}), ours).jumps.size() == 3);
}

TEST_CASE("a runtime of which not all can be replaced is left as it is, and why is said") {
  auto const refused = [](Functions const& object, char const* why) {
    Plan const plan = plan_of(object, ours);
    CHECK(plan.jumps.empty());
    CHECK(plan.refusal.find(why) != std::string::npos);
  };
  refused({runtime[1], runtime[2]}, "it has no cudaMalloc");
  refused({{"cudaMalloc", 0x5000, 13}, runtime[1], runtime[2]}, "cudaMalloc is too short");
  refused(with(runtime, {"cudaOfTomorrow", 0x5080, 50}), "Pegasus has no cudaOfTomorrow");
}
