// SPDX-License-Identifier: Apache-2.0
// What pegasusd knows of a domain and of its tasks (guest processes using the accelerator).
#pragma once

#include "domA/daemon/worker_process.h"
#include "domA/link/hello.h"
#include "domA/link/shared_memory.h"
#include "policies/view.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pegasus::daemon {

using policies::DomainId;
using TaskId = std::uint32_t; // also the task's seat on the engine

struct Domain {
  DomainId id = 0;
  std::string name;
  std::uint32_t credits = policies::default_credits;
  double slo = 0;
  std::uint64_t memory_limit = 0; // 0: the accelerator's memory
  link::SharedMemory page;        // worker::DomainPage
};

struct Task {
  TaskId id = 0;
  DomainId domain = 0;
  link::Hello hello;
  WorkerProcess worker;
};

} // namespace pegasus::daemon
