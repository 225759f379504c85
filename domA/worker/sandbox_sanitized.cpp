// SPDX-License-Identifier: Apache-2.0
// The jail and the sandbox of sanitizer builds do nothing. The sanitizers' runtimes map terabytes of shadow
// memory and open files when they report; RLIMIT_DATA and the seccomp filter would prevent that. Chosen by
// CMakeLists.txt, never at run time.
#include "domA/worker/gpu_files.h"
#include "domA/worker/jail.h"
#include "domA/worker/sandbox.h"

#include <cstdio>

namespace pegasus::worker {

void close_inherited() {}
void reserve_numbers() {}
void enter_jail(Jail const&, Files const&) {}
bool proc_fits() { return true; }
bool pegasusd_lives() { return true; }
Files gpu_files(DeviceChoice const&) { return {}; }
bool only_files(Files const&) { return false; }

void enter_sandbox(Sandbox const&) {
  std::fprintf(stderr, "pegasus-avcpu: built with sanitizers, not sandboxed: for tests only\n");
}

} // namespace pegasus::worker
