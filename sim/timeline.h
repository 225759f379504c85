// SPDX-License-Identifier: Apache-2.0
// Is told what ran where (report/trace.h).
#pragma once

#include "policies/view.h"

#include <cstddef>

namespace pegasus::sim {

class Timeline {
public:
  // A vCPU of the domain at that position of the scenario was on the pCPU; Dom0's position is after
  // the last domain's.
  virtual void vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) = 0;
  // The accelerator executed a kernel of the domain, or a part of one.
  virtual void kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from,
                          policies::Time to) = 0;

  // A copy engine of the accelerator copied for the domain.
  virtual void copied(std::size_t accelerator, std::size_t copy_engine, std::size_t domain,
                      policies::Time from, policies::Time to) = 0;

protected:
  ~Timeline() = default;
};

} // namespace pegasus::sim
