// SPDX-License-Identifier: Apache-2.0
// What the facts mean for the program: pure.
#pragma once

#include "ctl/doctor/facts.h"

#include <string>
#include <vector>

namespace pegasus::ctl::doctor {

enum class Weight {
  note, // nothing stands in the way
  part, // something of the program will not work
  all,  // the program cannot run
};

struct Finding {
  Weight weight = Weight::note;
  std::string object = {}; // a file's name, or a package; empty: the whole
  // "runtime", "images", "kernels", "instruction", "functions", "library", "package" or "program"
  std::string about;
  std::string what;
  std::string remedy = {};
  std::string brief = {};   // for the verdict; empty: `what` itself
  bool on_software = false; // true of the software accelerator only
};

struct Diagnosis {
  std::vector<Finding> findings;
  Weight weight = Weight::note; // the worst
  std::string verdict;          // one sentence: "will run", "will run except: ...", "will not run: ..."
};

// `library_directory`: where a program finds our static runtime. `each_kernel`: one finding for each kernel that will not
// run, instead of one for each reason.
[[nodiscard]] Diagnosis diagnose(Facts const& facts, std::string const& library_directory, bool each_kernel);

} // namespace pegasus::ctl::doctor
