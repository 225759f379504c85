// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/exec_widths.h"

#include "domA/device/ptx/parser.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace pegasus::fuzz {
namespace {

constexpr unsigned seconds_for_a_kernel = 20; // on a loaded machine, with sanitizers

char const* running = nullptr;

// Only a signal gets a thread out of a kernel that never asks for the time.
void tell_and_end(int) {
  constexpr char text[] = "this kernel does not end:\n";
  static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
  static_cast<void>(!write(STDERR_FILENO, running, std::strlen(running)));
  _exit(1);
}

class Watchdog {
public:
  explicit Watchdog(std::string const& ptx) {
    running = ptx.c_str();
    std::signal(SIGALRM, tell_and_end);
    alarm(seconds_for_a_kernel);
  }
  ~Watchdog() { alarm(0); }
  Watchdog(Watchdog const&) = delete;
  Watchdog& operator=(Watchdog const&) = delete;
};

} // namespace

std::string kernel_of(std::string_view code) {
  return fmt::format(R"(.version 8.3
.target sm_80
.address_size 64
.global .align 32 .b8 gl[64];
.const .align 32 .b8 co[64];
.visible .entry k(.param .u64 cells, .param .align 32 .b8 args[64])
{{
.reg .pred %p<6>; .reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %d<10>; .reg .f32 %f<6>; .reg .f64 %g<6>;
.shared .align 32 .b8 sh[64];
.local .align 32 .b8 lo[64];
mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 3; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2;
cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; setp.gt.u32 %p1, %r1, 2; setp.gt.u32 %p2, %r1, 4;
st.shared.u32 [sh], 0; st.local.u32 [lo], 0;
{}{}
ret;
}}
)",
                     code.find("%q") != std::string_view::npos ? ".reg .b128 %q<6>;" : "", code);
}

Story run_both(std::string const& ptx, unsigned threads) {
  Names const names{{"k"}, {"gl"}};
  Shape const shape{.block = {threads, 1, 1}};
  auto module = ptx::parse(ptx);
  Story story;
  if (!module) {
    story.told = module.error().message;
    return story;
  }
  Watchdog const watchdog(ptx);
  ExecProgram program(std::move(*module), names, shape, software::Isa::baseline);
  story = program.run(false);
  if (story.ending == Ending::refused) return story;
  program.restore(software::Isa::best);
  Story const other = program.run(true);
  CHECK(story.told == other.told);
  CHECK(story.memory == other.memory);
  return story;
}

} // namespace pegasus::fuzz
