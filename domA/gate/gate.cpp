// SPDX-License-Identifier: Apache-2.0
#include "domA/gate/gate.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pegasus::gate {

void Gate::attach(TaskId task, GatePage& gate, UsagePage const& usage) {
  detach(task);
  slots_.emplace(task, Slot{&gate, &usage});
  gate::post(gate, {});
  tell(gate);
}

void Gate::detach(TaskId task) {
  slots_.erase(task);
  for (std::vector<TaskId>* const list : {&run_, &wake_, &beside_, &open_, &draining_})
    std::erase(*list, task);
}

bool Gate::apply(std::span<TaskId const> run, std::span<TaskId const> wake, std::span<TaskId const> beside) {
  run_.assign(run.begin(), run.end());
  wake_.assign(wake.begin(), wake.end());
  beside_.assign(beside.begin(), beside.end());
  drained_ = false;
  std::vector<TaskId> stopping;
  std::ranges::set_difference(open_, run_, std::back_inserter(stopping));
  if (!stopping.empty()) {
    std::vector<TaskId> const before = std::exchange(open_, {});
    std::ranges::set_intersection(before, run_, std::back_inserter(open_));
  }
  for (TaskId const task : stopping)
    stop(task, slots_.at(task));
  return drain();
}

void Gate::ends_at(std::uint64_t ns) {
  if (ends_at_ns_ == ns) return;
  ends_at_ns_ = ns;
  for (TaskId const task : open_)
    slots_.at(task).gate->ends_at_ns.store(ns, std::memory_order_relaxed);
}

void Gate::limit(Pieces const& pieces) {
  if (pieces_ == pieces) return;
  pieces_ = pieces;
  for (TaskId const task : open_)
    store(pieces, *slots_.at(task).gate);
}

void Gate::store(Pieces const& pieces, GatePage& gate) {
  gate.pieces_from_ns.store(pieces.from_ns, std::memory_order_relaxed);
  gate.longest_piece_ns.store(pieces.longest_ns, std::memory_order_relaxed);
}

void Gate::lease_until(std::uint64_t ns) {
  lease_until_ns_ = ns;
  for (TaskId const task : open_)
    slots_.at(task).gate->lease_until_ns.store(ns, std::memory_order_relaxed);
}

void Gate::set(Manner const& manner) {
  manner_ = manner;
  for (auto& [task, slot] : slots_)
    tell(*slot.gate);
}

void Gate::tell(GatePage& gate) const {
  gate.guest_polls.store(manner_.guests_poll ? 1 : 0, std::memory_order_relaxed);
  gate.engaged.store(manner_.engaged ? 1 : 0, std::memory_order_relaxed);
}

std::atomic<std::uint32_t>* Gate::reopen(TaskId task) {
  auto const found = slots_.find(task);
  if (found == slots_.end() || !found->second.open) return nullptr;
  Slot& slot = found->second;
  std::uint32_t const word = slot.gate->word.load(std::memory_order_relaxed);
  if (slot.usage->obeyed.load(std::memory_order_acquire) != word) return nullptr;
  set(slot, word & (word_epoch - 1));
  return &slot.gate->word;
}

// Before it could execute a call of its guest it rang: what it answers then is no guest's.
void Gate::rang(TaskId task) {
  auto const found = slots_.find(task);
  if (found == slots_.end() || found->second.started) return;
  found->second.started = answer_to_last(*found->second.gate, *found->second.usage).has_value();
}

bool Gate::may_post(TaskId task) const {
  auto const among = [task](std::vector<TaskId> const& tasks) {
    return std::ranges::binary_search(tasks, task);
  };
  return slots_.at(task).started && !among(run_) && !among(open_) && !among(draining_);
}

std::atomic<std::uint32_t>& Gate::post(TaskId task, Order const& order) {
  Slot& slot = slots_.at(task);
  gate::post(*slot.gate, order);
  set(slot, 0);
  return slot.gate->word;
}

std::optional<Answer> Gate::answer(TaskId task) const {
  Slot const& slot = slots_.at(task);
  return answer_to_last(*slot.gate, *slot.usage);
}

bool Gate::drain() {
  std::erase_if(draining_, [this](TaskId task) {
    bool const over = drained(slots_.at(task));
    if (over) listener_.drained(task);
    return over;
  });
  if (drained_) return true;
  if (!std::ranges::includes(beside_, draining_)) return false;
  drained_ = true;
  std::vector<TaskId> entering;
  std::ranges::set_difference(run_, open_, std::back_inserter(entering));
  for (TaskId const task : entering)
    if (auto const found = slots_.find(task); found != slots_.end()) let_in(task, found->second);
  return true;
}

bool Gate::open(TaskId task) const {
  auto const found = slots_.find(task);
  return found != slots_.end() && found->second.open;
}

// See pages.h: the order of the stores that these two loads pair with makes this safe.
bool Gate::drained(Slot const& slot) {
  return slot.usage->activity.load(std::memory_order_seq_cst) != Activity::running ||
         slot.usage->obeyed.load(std::memory_order_acquire) ==
             slot.gate->word.load(std::memory_order_relaxed);
}

void Gate::let_in(TaskId task, Slot& slot) {
  listener_.entering(task);
  slot.open = true;
  open_.insert(std::ranges::lower_bound(open_, task), task);
  slot.gate->ends_at_ns.store(ends_at_ns_, std::memory_order_relaxed);
  store(pieces_, *slot.gate);
  slot.gate->lease_until_ns.store(lease_until_ns_, std::memory_order_relaxed);
  set(slot, word_open | (std::ranges::binary_search(wake_, task) ? word_wake : 0));
  listener_.opened(task, slot.gate->word);
}

void Gate::stop(TaskId task, Slot& slot) {
  slot.open = false;
  set(slot, 0);
  listener_.closed(task);
  draining_.insert(std::ranges::lower_bound(draining_, task), task);
}

void Gate::set(Slot& slot, std::uint32_t state) {
  std::uint32_t const epoch = (slot.gate->word.load(std::memory_order_relaxed) | (word_epoch - 1)) + 1;
  slot.gate->word.store(epoch | state, std::memory_order_seq_cst);
}

} // namespace pegasus::gate
