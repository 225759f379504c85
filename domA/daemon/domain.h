// SPDX-License-Identifier: Apache-2.0
// pegasusd's data about a domain and its tasks (guest processes using the accelerator).
#pragma once

#include "control/settings.h"
#include "domA/daemon/control_groups.h"
#include "domA/daemon/worker_process.h"
#include "domA/device/memory/quota_books.h"
#include "domA/guests/guest_link.h"
#include "domA/guests/shared_memory.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::daemon {

class Accelerator;

using policies::DomainId;
using policies::TaskId; // also the task's slot on the engine

struct Domain {
  DomainId id = 0;
  std::string name;
  control::Settings settings;
  // Its settings after its last task has ended, where others hold until then; nullopt: the same.
  std::optional<control::Settings> afterwards;
  bool task_expected = false; // for which such settings were made
  bool kept = false;          // an operator set something: not forgotten while unused
  bool frozen = false;        // by an operator: its tasks do not run
  std::uint32_t freezes = 0;  // requests to freeze it or to thaw it
  bool gone = false;          // its guest was destroyed, or it was removed: forgotten with its last task
  std::uint32_t tasks = 0;
  std::uint32_t observers = 0;              // programs of the guest that read its totals
  std::uint32_t ending = 0;                 // of its tasks, those that are being ended and that Linux can end
  Accelerator* accelerator = nullptr;       // the accelerator of its tasks, or of its last ones
  std::string placement;                    // why it was placed there, for operators
  policies::Time arrived{};                 // when it last had its first task
  std::string not_admitted;                 // what it waits for, or why its last program was refused
  std::optional<policies::Time> refused_at; // when that was; nullopt while it waits
  std::optional<std::uint32_t> guest;       // its Xen domain id; nullopt: a local domain
  std::string wanted_name;                  // a guest's name in xenstore; `name` if no other domain has it
  memory::QuotaBooks::Share memory;         // its share of device memory
  ControlGroup control_group;               // the group of its workers
  guests::SharedMemory code_cache;          // what its workers compiled (domA/device/cuda/code_cache.h)
  std::uint64_t oom_kills = 0;              // workers killed for lack of memory, as far as logged

  [[nodiscard]] bool in_use() const { return tasks > 0 || observers > 0; }
};

struct Task {
  TaskId id = 0;
  Domain* domain = nullptr;
  guests::Peer peer;
  std::string program; // as it reports itself, printable
  WorkerProcess worker;
  std::uint64_t call_buffer_bytes = 0; // of this machine's memory; 0: a guest of Xen has its own
};

} // namespace pegasus::daemon
