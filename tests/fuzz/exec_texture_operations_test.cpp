// SPDX-License-Identifier: Apache-2.0
// What ptx_texture.h writes is compiled, and mostly runs.
#include "tests/fuzz/ptx_texture.h"

#include "tests/fuzz/exec_widths.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <random>
#include <vector>

using namespace pegasus::fuzz;

TEST_CASE("an operation on textures and surfaces is never refused, and seldom a fault") {
  constexpr unsigned programs = 600;
  unsigned faulted = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(200);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random()); });
    Input input(bytes.data(), bytes.size());
    PtxWriter writer(input);
    writer.line("{{\n.reg .pred %p<6>; .reg .b16 %h<6>; .reg .b32 %r<10>, %i<4>; .reg .b64 %d<8>, %a<4>;");
    writer.line(
        "mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %r1, %r0; mul.f32 %r2, %r1, 0f3E000000; mov.b32 %r3, %r2;");
    for (int i = 0; i < 3; ++i)
      write_texture_operation(writer);
    writer.line("}}");
    std::string const code = writer.take_text();
    INFO(code);
    Story const story = run_both(kernel_of(code), 40);
    INFO(story.told);
    REQUIRE((story.ending == Ending::completed || story.ending == Ending::faulted));
    faulted += story.ending == Ending::faulted ? 1 : 0;
  }
  CHECK(faulted > 0);
  CHECK(faulted < programs / 4);
}
