// SPDX-License-Identifier: Apache-2.0
// What pegasusd knows of a domain and of its tasks (guest processes using the accelerator).
#pragma once

#include "control/settings.h"
#include "domA/daemon/control_groups.h"
#include "domA/daemon/worker_process.h"
#include "domA/device/shared/quota_books.h"
#include "domA/guests/guest_link.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::daemon {

class Accelerator;

using policies::DomainId;
using TaskId = std::uint32_t; // also the task's seat on the engine

struct Domain {
  DomainId id = 0;
  std::string name;
  control::Settings settings;
  bool kept = false; // an operator set something: not forgotten while unused
  bool gone = false; // its guest was destroyed, or it was removed: forgotten with its last task
  std::uint32_t tasks = 0;
  std::uint32_t ending = 0;                 // of these, that are being ended and that Linux can end
  Accelerator* accelerator = nullptr;       // of its tasks, or of those it had last
  std::string placement;                    // why that one, for operators
  policies::Time came{0};                   // when the first of its tasks did, last time
  std::string not_admitted;                 // what it waits for, or why its last program was refused
  std::optional<policies::Time> refused_at; // when that was; of one that waits: nothing
  std::optional<std::uint32_t> guest;       // its Xen domain id; nothing: a local domain
  std::string wanted_name;                  // a guest's, in xenstore; `name` if no other domain has it
  shared::QuotaBooks::Share memory;         // of device memory, that it may take
  ControlGroup control_group;               // of its workers
  std::uint64_t out_of_memory = 0;          // how many of them its group has ended, as far as the log says so
};

struct Task {
  TaskId id = 0;
  Domain* domain = nullptr;
  guests::Peer peer;
  std::string program; // by its own word, printable
  WorkerProcess worker;
};

} // namespace pegasus::daemon
