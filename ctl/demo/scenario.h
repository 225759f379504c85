// SPDX-License-Identifier: Apache-2.0
// What the demonstration runs: four domains, their credits and programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct DemoDomain {
  std::string name;
  std::uint32_t credits;
  std::string program; // in bin/workloads
  std::vector<std::string> arguments;
};

// Plain: four times the same work, credits 1024, 512, 256 and 512 as in the Pegasus paper's example (section
// 4.3). Mixed: dom4's kernels are twenty times as long as its neighbours', for which a device that is shared
// kernel by kernel gives it twenty times the time. Each program works for `seconds`.
[[nodiscard]] std::vector<DemoDomain> demo_domains(bool mixed, double seconds);

// "none,fair:slice=2ms": what is between the commas, also if that is empty.
[[nodiscard]] std::vector<std::string> split_policies(std::string const& list);

} // namespace pegasus::ctl
