// SPDX-License-Identifier: Apache-2.0
// What ran on each pCPU and each accelerator, as a trace in the JSON format that Perfetto (ui.perfetto.dev)
// and chrome://tracing open. Each policy's run is a process whose threads are the pCPUs and, below them, the
// accelerators and their copy engines. (Perfetto shows threads in the order of their numbers, but processes
// in the order of how much happens in them.)
#pragma once

#include "sim/report/run_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::sim {

class Trace final : public RunTimeline {
public:
  void begin(Scenario const& scenario, std::string const& policy) override;
  void vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) override;
  void kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from,
                  policies::Time to) override;
  void copied(std::size_t accelerator, std::size_t copy_engine, std::size_t domain, policies::Time from,
              policies::Time to) override;

  [[nodiscard]] std::string as_json() const;

private:
  struct PolicyRun {
    std::string name;
    std::vector<std::string> rows;              // from above
    std::size_t first_accelerator;              // its row
    std::vector<std::size_t> first_copy_engine; // the row, of each accelerator
  };
  struct Span {
    std::uint32_t run; // position in runs_
    std::uint32_t row;
    std::uint32_t name; // position in names_
    policies::Time from, to;
  };
  void add(std::size_t row, std::size_t domain, policies::Time from, policies::Time to);

  std::vector<PolicyRun> runs_;
  std::vector<std::string> names_;
  std::size_t first_name_ = 0; // of the present run's domains
  std::vector<Span> spans_;
};

} // namespace pegasus::sim
