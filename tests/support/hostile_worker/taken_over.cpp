// SPDX-License-Identifier: Apache-2.0
// The moment when a guest takes control of its worker. The file `attack` beside the program names
// the misdeed. A worker that starts while there is no such file is honest, so one pegasusd has
// workers of both kinds.
//
// The linker (--wrap) makes the program call these instead of its own functions, which they then call. If one
// of its functions is renamed, linking fails.
#include "domA/avcpu/avcpu.h"
#include "domA/worker/jail.h"
#include "domA/worker/start.h"
#include "tests/support/hostile_worker/misdeeds.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using pegasus::avcpu::Avcpu;
using pegasus::worker::Files;
using pegasus::worker::Jail;

void enter_real_jail(Jail const& jail, Files const& files) asm(
    "__real__ZN7pegasus6worker10enter_jailERKNS0_4JailERKNS0_5FilesE");
void look_around_and_enter_jail(Jail const& jail, Files const& files) asm(
    "__wrap__ZN7pegasus6worker10enter_jailERKNS0_4JailERKNS0_5FilesE");
Avcpu::Step real_step(Avcpu* avcpu) asm("__real__ZN7pegasus5avcpu5Avcpu4stepEv");
Avcpu::Step hostile_step(Avcpu* avcpu) asm("__wrap__ZN7pegasus5avcpu5Avcpu4stepEv");

namespace {

// By then pegasusd knows the guest's program, and it has a kernel to execute.
constexpr std::uint64_t honest_steps = 16;

std::string plan_name;
pegasus::hostile::Misdeed planned = nullptr;
pegasus::hostile::Situation here{};

void plan() {
  std::ifstream file(std::filesystem::read_symlink("/proc/self/exe").replace_filename("attack"));
  if (!(file >> plan_name)) return;
  planned = pegasus::hostile::misdeed(plan_name);
  pegasus::worker::Start start{};
  if (planned == nullptr ||
      pread(pegasus::worker::start_fd, &start, sizeof start, 0) != static_cast<ssize_t>(sizeof start)) {
    std::fprintf(stderr, "hostile worker: there is no attack '%s'\n", plan_name.c_str());
    std::_Exit(1);
  }
  here = {pegasus::hostile::shared_pages(), start.slot};
}

} // namespace

// Everything shared is mapped, and the file system is still accessible.
void look_around_and_enter_jail(Jail const& jail, Files const& files) {
  plan();
  enter_real_jail(jail, files);
}

Avcpu::Step hostile_step(Avcpu* avcpu) {
  static std::uint64_t steps = 0;
  if (planned == nullptr || ++steps <= honest_steps) return real_step(avcpu);
  if (steps == honest_steps + 1)
    std::fprintf(stderr, "hostile worker: %s\n", plan_name.c_str()); // the test waits for this line
  planned(here);
  return real_step(avcpu);
}
