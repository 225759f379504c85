// SPDX-License-Identifier: Apache-2.0
#include "domA/gate/gate.h"

#include <algorithm>

namespace pegasus::gate {

void Gate::attach(TaskId task, DomainId domain, GatePage& gate, UsagePage const& usage) {
  seats_.push_back({task, domain, &gate, &usage, false});
  if (settled_ && chosen(seats_.back())) set(seats_.back(), true);
}

void Gate::detach(TaskId task) {
  std::erase_if(seats_, [task](Seat const& seat) { return seat.task == task; });
}

bool Gate::apply(std::span<const DomainId> run, std::span<const DomainId> rouse) {
  run_.assign(run.begin(), run.end());
  rouse_.assign(rouse.begin(), rouse.end());
  settled_ = false;
  for (Seat& seat : seats_)
    if (seat.open && !chosen(seat)) set(seat, false);
  return settle();
}

bool Gate::settle() {
  if (settled_) return true;
  for (Seat const& seat : seats_)
    if (!chosen(seat) && !drained(seat)) return false;
  settled_ = true;
  for (Seat& seat : seats_)
    if (!seat.open && chosen(seat)) set(seat, true);
  return true;
}

bool Gate::open(TaskId task) const {
  return std::any_of(seats_.begin(), seats_.end(),
                     [task](Seat const& seat) { return seat.task == task && seat.open; });
}

std::vector<TaskId> Gate::draining() const {
  std::vector<TaskId> tasks;
  for (Seat const& seat : seats_)
    if (!chosen(seat) && !drained(seat)) tasks.push_back(seat.task);
  return tasks;
}

bool Gate::chosen(Seat const& seat) const {
  return std::binary_search(run_.begin(), run_.end(), seat.domain);
}

// See pages.h: the order of the two loads' counterparts makes this safe.
bool Gate::drained(Seat const& seat) {
  return seat.usage->activity.load(std::memory_order_seq_cst) != Activity::running ||
         seat.usage->obeyed.load(std::memory_order_acquire) ==
             seat.gate->word.load(std::memory_order_relaxed);
}

void Gate::set(Seat& seat, bool open) {
  seat.open = open;
  std::uint32_t const epoch = (seat.gate->word.load(std::memory_order_relaxed) | (word_epoch - 1)) + 1;
  std::uint32_t const wake = std::ranges::binary_search(rouse_, seat.domain) ? word_wake : 0;
  seat.gate->word.store(epoch | (open ? word_open | wake : 0), std::memory_order_seq_cst);
  if (open) wake_(seat.gate->word);
}

} // namespace pegasus::gate
