// SPDX-License-Identifier: Apache-2.0
// The tasks that run where domains share the device: all tasks of the domains that have it, but for those
// that are ahead of others of their domain (task_slices.h). Looks only at domains that came, went or changed.
#pragma once

#include "domA/scheduler/task_slices.h"
#include "policies/ids.h"
#include "policies/state_visitor.h"

#include <set>
#include <vector>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::TaskId;

class Records; // records.h

class SharedTasks {
public:
  // True: only tasks that are in step run. The next choice is made anew.
  void keep_step(bool keep_step);
  void begin_anew(); // the device was not shared
  // Its tasks, or what they used or want. While the device is not shared nothing is kept.
  void changed(DomainId domain) {
    if (!run_.empty()) changed_.insert(domain);
  }

  // The tasks that run, ordered. `run`: the domains that have the device, ordered. `slices_of(domain)`:
  // pointer to its tasks, nullptr if there is no such domain. The result is valid until the next choice.
  template <class SlicesOf>
  [[nodiscard]] std::vector<TaskId> const& choose(std::vector<DomainId> const& run, SlicesOf slices_of) {
    Change change;
    for (DomainId const domain : take_changed(run))
      if (TaskSlices* const slices = slices_of(domain)) look_at(domain, *slices, change);
    make(change);
    return tasks_;
  }
  void forget(TaskId task); // it has left

  // What it keeps, but for keep_step(). The records have been visited.
  void visit(policies::StateVisitor& state, Records const& records);

private:
  struct Change {
    std::vector<TaskId> come, go;
  };
  [[nodiscard]] std::set<DomainId> take_changed(std::vector<DomainId> const& run);
  void look_at(DomainId domain, TaskSlices& slices, Change& change) const;
  void make(Change& change);

  bool keep_step_ = false;
  std::vector<DomainId> run_;
  std::vector<TaskId> tasks_;
  std::set<DomainId> changed_; // since the last choice
};

} // namespace pegasus::scheduler
