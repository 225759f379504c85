// SPDX-License-Identifier: Apache-2.0
#include "policies/fair.h"

#include "policies/turn_keeper.h"
#include "policies/turn_limits.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr std::uint32_t most_credits = 65535; // Xen's range of weights

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
  const Nanos elapsed = started_ ? std::clamp(view.now - now_, Nanos{0}, deepest_) : Nanos{0};
  now_ = view.now;
  started_ = true;
  const std::optional<DomainId> before = running_;
  admit(view);
  charge(view, elapsed);
  advance_virtual_time();

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
  for (Queue& queue : queues_)
    queue.present = false;
  for (DomainView const& domain : view.domains) {
    auto at = std::ranges::lower_bound(queues_, domain.id, {}, &Queue::id);
    if (at == queues_.end() || at->id != domain.id)
      at = queues_.insert(
          at, Queue{.id = domain.id, .seen_total = total_of(domain), .ready = domain.calls_waiting > 0});
    at->present = true;
    at->weight = std::clamp(domain.credits, std::uint32_t{1}, most_credits);
    at->interactive = domain.sync_call_rate > interactive_rate;
  }
  std::erase_if(queues_, [](Queue const& queue) { return !queue.present && queue.tag <= Nanos{0}; });
  if (const Queue* const queue = running(); queue != nullptr && !queue->present) running_.reset();
}

void FairQueuing::charge(View const& view, Nanos elapsed) {
  Nanos by_running{0};
  Nanos by_others{0}; // what the device did for them, the running domain did not deny to them
  for (DomainView const& domain : view.domains) {
    Queue& queue = *find(domain.id);
    const Nanos used = std::clamp(total_of(domain) - queue.seen_total, Nanos{0}, deepest_);
    queue.seen_total = total_of(domain);
    queue.tag += weighted(used, queue.weight);
    if (queue.id == running_)
      by_running = used;
    else
      by_others = std::min(by_others + used, elapsed);
    const bool ready = domain.calls_waiting > 0;
    if (ready && !queue.ready) queue.woke = true;
    queue.ready = ready;
  }
  for (Queue& queue : queues_)
    if (!queue.present) queue.ready = false;
  if (Queue* const queue = running()) {
    const Nanos open = elapsed - by_others;
    queue->tag += weighted(std::max(open / 2 - by_running, Nanos{0}), queue->weight);
    ran_ += open;
  }
}

// Rule 3. Those that have just woken up join it, they do not hold it back.
void FairQueuing::advance_virtual_time() {
  Nanos passed = Nanos::max();
  for (Queue const& queue : queues_)
    if (queue.ready && !queue.woke) passed = std::min(passed, queue.tag);
  if (passed == Nanos::max()) passed = Nanos{0};
  for (Queue& queue : queues_) {
    queue.tag -= passed;
    if (!queue.ready || queue.woke) queue.tag = std::max(queue.tag, -weighted(slice_, queue.weight));
  }
}

FairQueuing::Queue* FairQueuing::least() {
  Queue* best = nullptr;
  for (Queue& queue : queues_)
    if (queue.ready && (best == nullptr || queue.tag < best->tag)) best = &queue;
  return best;
}

FairQueuing::Queue* FairQueuing::find(DomainId id) {
  const auto found = std::ranges::lower_bound(queues_, id, {}, &Queue::id);
  return found != queues_.end() && found->id == id ? &*found : nullptr;
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
