// SPDX-License-Identifier: Apache-2.0
#include "policies/fair.h"

#include "policies/turn_keeper.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr std::uint32_t most_credits = 65535; // Xen's range of weights

// Tags begin anew before they overflow: with a weight of 1 virtual time passes 256 times as fast as time
// does.
constexpr Nanos most_virtual_time{std::int64_t{1} << 61};

// L / w, with the default credits for 1.
Nanos weighted(Nanos time, std::int64_t weight) { return time * std::int64_t{default_credits} / weight; }

} // namespace

FairQueuing::FairQueuing(Tunables const& tunables) {
  const Nanos tick = std::clamp(tunables.tick, TurnKeeper::shortest_tick, TurnKeeper::longest_tick);
  slice_ = tick * 6 / 10;
  grain_ = tick / grains_per_tick;
  deepest_ = tick * deepest_debt_ticks;
}

Decision FairQueuing::decide(View const& view) {
  const Nanos had = had_device(view, now_);
  const std::optional<DomainId> before = running_;
  admit(view);
  charge(view, had);
  advance_virtual_time(had);
  wake(view);
  now_ = view.now;

  Reason reason = Reason::unchanged;
  if (const auto stop = stop_reason()) {
    reason = before && running() == nullptr ? Reason::departure : *stop;
    running_.reset();
    ran_ = Nanos{0};
    if (Queue* const next = least()) {
      running_ = next->id;
      next->woke = false;
    }
  }
  return answer(reason, running_ != before);
}

void FairQueuing::admit(View const& view) {
  std::vector<Queue> next;
  next.reserve(view.domains.size());
  auto known = queues_.begin();
  for (DomainView const& domain : view.domains) {
    while (known != queues_.end() && known->id < domain.id)
      ++known;
    Queue& queue =
        next.emplace_back(known != queues_.end() && known->id == domain.id ? *known : enter(domain));
    queue.weight = std::clamp(domain.credits, std::uint32_t{1}, most_credits);
    queue.interactive = domain.sync_call_rate > interactive_rate;
  }
  queues_ = std::move(next);
  if (running() == nullptr) running_.reset();
}

FairQueuing::Queue FairQueuing::enter(DomainView const& domain) const {
  const Nanos debt = std::clamp(domain.debt, Nanos{0}, deepest_);
  return {.id = domain.id,
          .tag = virtual_time_ + weighted(debt, std::clamp(domain.credits, std::uint32_t{1}, most_credits)),
          .seen_total = total_of(domain),
          .ready = domain.calls_waiting > 0};
}

void FairQueuing::charge(View const& view, Nanos had) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    Nanos used = std::clamp(total_of(view.domains[i]) - queue.seen_total, Nanos{0}, deepest_);
    queue.seen_total = total_of(view.domains[i]);
    if (queue.id == running_) {
      used = std::max(used, std::min(had, deepest_) / 2);
      ran_ += had;
    }
    queue.tag += weighted(used, queue.weight);
  }
}

// Rule 3, for the time since the last View: `ready` and running_ are still what they were then.
void FairQueuing::advance_virtual_time(Nanos had) {
  if (ready_ == 0) {
    virtual_time_ += had;
  } else if (Queue* const queue = running(); ready_ == 1 && queue != nullptr && queue->ready) {
    virtual_time_ += weighted(had, queue->weight);
    queue->tag = std::max(queue->tag, virtual_time_ - weighted(slice_, queue->weight));
  } else {
    Nanos least_tag = Nanos::max();
    for (Queue const& each : queues_)
      if (each.ready) least_tag = std::min(least_tag, each.tag);
    if (least_tag != Nanos::max()) virtual_time_ = std::max(virtual_time_, least_tag);
  }
  if (virtual_time_ < most_virtual_time) return;
  for (Queue& queue : queues_) // once in years
    queue.tag -= virtual_time_;
  virtual_time_ = Nanos{0};
}

// What has calls now. Who had none is one slice behind at most.
void FairQueuing::wake(View const& view) {
  ready_ = 0;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    const bool ready = view.domains[i].calls_waiting > 0;
    if (ready && !queue.ready) {
      queue.woke = true;
      queue.tag = std::max(queue.tag, virtual_time_ - weighted(slice_, queue.weight));
    }
    queue.ready = ready;
    ready_ += ready ? 1 : 0;
  }
}

Nanos FairQueuing::debt(DomainId id) const {
  const auto found = std::ranges::lower_bound(queues_, id, {}, &Queue::id);
  if (found == queues_.end() || found->id != id) return Nanos{0};
  return std::max(found->tag - virtual_time_, Nanos{0}) * found->weight / std::int64_t{default_credits};
}

FairQueuing::Queue* FairQueuing::least() {
  Queue* best = nullptr;
  for (Queue& queue : queues_)
    if (queue.ready && (best == nullptr || queue.tag < best->tag)) best = &queue;
  return best;
}

FairQueuing::Queue* FairQueuing::running() {
  if (!running_) return nullptr;
  const auto found = std::ranges::lower_bound(queues_, *running_, {}, &Queue::id);
  return found != queues_.end() && found->id == *running_ ? &*found : nullptr;
}

// Why the slice is over or interrupted; nothing if it goes on.
std::optional<Reason> FairQueuing::stop_reason() {
  Queue const* const queue = running();
  if (queue == nullptr) return Reason::arrival;
  if (!queue->ready) return Reason::yield;
  if (ran_ >= slice_) return Reason::slice_end;
  if (ran_ >= grain_ && awaited()) return Reason::arrival;
  return std::nullopt;
}

// The next to run woke up in the meantime and is behind the running one.
bool FairQueuing::awaited() {
  const Queue* const next = least();
  return next != nullptr && next->woke && next->id != running_;
}

Decision FairQueuing::answer(Reason reason, bool switched) {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Decision decision;
  decision.run = {*running_};
  decision.until = decision.ask_again = now_ + (slice_ - ran_);
  if (ran_ < grain_ && awaited()) decision.ask_again = now_ + (grain_ - ran_);
  if (switched && running()->interactive) decision.wake = {*running_};
  decision.reason = reason;
  return decision;
}

} // namespace pegasus::policies
