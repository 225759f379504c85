// SPDX-License-Identifier: Apache-2.0
// pegasus doctor: says before a run what of a program will not work, and what to do about it. Reads files only.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct DoctorOptions {
  bool json = false;
  bool verbose = false;             // a line for each kernel that will not run
  std::chrono::seconds time{60};    // to translate kernels; what is left then is only counted
  std::vector<std::string> command; // the program and its arguments, which do not matter
};

// Prints what it finds. Returns 0: nothing stands in the way; 1: something of the program will not work; 125: it cannot run;
// 126 and 127 as run_program().
[[nodiscard]] int diagnose_program(DoctorOptions const& options);

} // namespace pegasus::ctl
