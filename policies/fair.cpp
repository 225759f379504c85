// SPDX-License-Identifier: Apache-2.0
#include "policies/fair.h"

#include "policies/accounts.h"
#include "policies/weights.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

namespace {

// Tags restart before they overflow: with a weight of 1 virtual time passes 256 times as fast as time.
constexpr Nanos max_virtual_time{std::int64_t{1} << 61};

} // namespace

FairQueuing::FairQueuing(Tunables const& tunables)
    : slice_(tunables.slice > Nanos{0} ? tunables.slice : tunables.bounded_tick() * 6 / 10),
      longest_wait_(tunables.longest_wait),
      min_granularity_(tunables.bounded_tick() / granularities_per_tick),
      max_debt_(tunables.bounded_tick() * max_debt_ticks), anticipation_(tunables),
      interactive_(tunables.interactive) {}

Decision FairQueuing::decide(View const& view) {
  auto const before = running_ ? std::optional(queues_[*running_].id) : std::nullopt;
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  anticipation_.update(view);
  update(view, had);

  Reason reason = Reason::unchanged;
  if (auto const stop = stop_reason()) {
    reason = before && !running_ ? Reason::departure : *stop;
    switch_to_next(*stop);
  }
  return answer(reason, running_ && queues_[*running_].id != before);
}

// Charges the use first, with the calls as they were, and then takes over the current calls.
void FairQueuing::update(View const& view, Nanos had) {
  slice_ = std::max(slice_, anticipation_.least_slice(min_granularity_));
  if (!view.changed) look_at_all(view);
  if (running_) {
    Nanos const used = total_of(view.domains[*running_]) - queues_[*running_].seen_total;
    charge(*running_, anticipation_.idle_cost(std::min(had, max_debt_), used));
    ran_ += had;
  }
  for_changed(view, [&](std::uint32_t position) {
    Queue& queue = queues_[position];
    Nanos const total = total_of(view.domains[position]);
    Nanos const used = std::clamp(total - queue.seen_total, Nanos{0}, max_debt_);
    charge(position, used);
    queue.seen_total = total;
  });
  advance_virtual_time(had);
  for_changed(view, [&](std::uint32_t position) { wake(position, view.domains[position]); });
}

void FairQueuing::look_at_all(View const& view) {
  follow(view, queues_, running_, [this](DomainView const& domain) { return enter(domain); });
  line_.clear();
  for (std::uint32_t position = 0; position < queues_.size(); ++position)
    line_up(position);
}

FairQueuing::Queue FairQueuing::enter(DomainView const& domain) const {
  std::int64_t const weight = std::clamp(domain.credits, min_credits, max_credits);
  return {.id = domain.id,
          .weight = weight,
          .tag = virtual_time_ + weighted(std::clamp(domain.debt, Nanos{0}, max_debt_), weight),
          .seen_total = total_of(domain),
          .ready = domain.calls_waiting > 0};
}

void FairQueuing::line_up(std::uint32_t position) {
  Queue const& queue = queues_[position];
  if (queue.ready || queue.held) line_.insert({queue.tag, position});
}

void FairQueuing::step_out(std::uint32_t position) { line_.erase({queues_[position].tag, position}); }

void FairQueuing::charge(std::uint32_t position, Nanos used) {
  if (used == Nanos{0}) return;
  step_out(position);
  queues_[position].tag += weighted(used, queues_[position].weight);
  line_up(position);
}

// Rule 3, for the time since the last View: line_ and running_ still have their state of then.
void FairQueuing::advance_virtual_time(Nanos had) {
  if (line_.empty()) {
    virtual_time_ += had;
  } else if (line_.size() == 1 && running_ == line_.begin()->position) {
    Queue const& queue = queues_[*running_];
    virtual_time_ += weighted(had, queue.weight);
    Nanos const behind = virtual_time_ - weighted(slice_, queue.weight) - queue.tag;
    if (behind > Nanos{0}) charge(*running_, behind * queue.weight / std::int64_t{default_credits});
  } else {
    virtual_time_ = std::max(virtual_time_, line_.begin()->tag);
  }
  if (virtual_time_ < max_virtual_time) return;
  line_.clear(); // once in years
  for (std::uint32_t position = 0; position < queues_.size(); ++position) {
    queues_[position].tag -= virtual_time_;
    line_up(position);
  }
  virtual_time_ = Nanos{0};
}

// A domain that had no calls and has some now is at most one slice behind; one that was barred had some.
void FairQueuing::wake(std::uint32_t position, DomainView const& domain) {
  Queue& queue = queues_[position];
  step_out(position);
  reweigh(queue, std::clamp(domain.credits, min_credits, max_credits));
  queue.interactive = domain.sync_call_rate > interactive_;
  bool const ready = domain.calls_waiting > 0;
  if (ready && !queue.ready && !queue.held) {
    queue.woke = true;
    queue.tag =
        std::max(queue.tag, virtual_time_ - weighted(queue.barred ? max_debt_ : slice_, queue.weight));
  }
  queue.ready = ready;
  queue.barred = domain.barred && !domain.capped;
  queue.held = running_ == position && anticipation_.held(position);
  line_up(position);
}

// The device time by which the domain is ahead or behind stays the same.
void FairQueuing::reweigh(Queue& queue, std::int64_t weight) const {
  if (weight == queue.weight) return;
  queue.tag = virtual_time_ + at_weight(queue.tag - virtual_time_, queue.weight, weight, slice_, max_debt_);
  queue.weight = weight;
}

Nanos FairQueuing::debt(DomainId id) const {
  Queue const* const found = find(queues_, id);
  if (found == nullptr) return Nanos{0};
  return std::max(found->tag - virtual_time_, Nanos{0}) * found->weight / std::int64_t{default_credits};
}

// Returns why the slice is over or interrupted, nullopt if it goes on.
std::optional<Reason> FairQueuing::stop_reason() const {
  if (!running_) return Reason::arrival;
  if (!queues_[*running_].ready && !anticipation_.held(*running_)) return Reason::yield;
  if (ran_ >= run_for_) return Reason::slice_end;
  if (interrupted_in() == Nanos{0}) return Reason::arrival;
  return std::nullopt;
}

// A domain that is held may run on if its tag is still the least.
void FairQueuing::switch_to_next(Reason reason) {
  auto const before = running_;
  if (before && !queues_[*before].ready && (reason == Reason::yield || line_.begin()->position != *before)) {
    step_out(*before);
    queues_[*before].held = false;
  }
  running_.reset();
  ran_ = Nanos{0};
  if (line_.empty()) return;
  running_ = line_.begin()->position;
  queues_[*running_].woke = false;
  run_for_ = shortened(slice_, line_.size(), longest_wait_, anticipation_.least_slice(min_granularity_));
  charge(*running_, anticipation_.begin_slice(running_ != before, before && reason == Reason::arrival));
}

// In how long the running domain may be interrupted: by the next one, if that woke up in the meantime and is
// behind it.
std::optional<Nanos> FairQueuing::interrupted_in() const {
  auto const next =
      std::ranges::find_if(line_, [this](Place const& place) { return place.position != running_; });
  if (next == line_.end() || !queues_[next->position].woke) return std::nullopt;
  Queue const& queue = queues_[*running_];
  Nanos const least =
      anticipation_.may_interrupt_in(next->position, ran_, anticipation_.least_slice(min_granularity_));
  if (*next < Place{queue.tag, *running_}) return least;
  if (!anticipation_.automatic()) return std::nullopt;
  return std::max(unweighted(next->tag - queue.tag, queue.weight), least);
}

Decision FairQueuing::answer(Reason reason, bool switched) const {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Queue const& queue = queues_[*running_];
  Decision decision;
  decision.run = {queue.id};
  decision.until = decision.ask_again = now_ + (run_for_ - ran_);
  if (auto const time = interrupted_in())
    decision.ask_again = std::min(decision.until, now_ + std::max(*time, shortest_review));
  if (!queue.ready) decision.ask_again = std::min(decision.ask_again, anticipation_.next_sample(*running_));
  if (switched && queue.interactive) decision.wake = {queue.id};
  decision.reason = reason;
  return decision;
}

void FairQueuing::Queue::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.virtual_time("tag", tag);
  state.duration("seen_total", seen_total);
  state.field("ready", ready);
  state.field("held", held);
  state.field("barred", barred);
  state.field("interactive", interactive);
  state.field("woke", woke);
}

void FairQueuing::visit(StateVisitor& state) {
  state.duration("slice", slice_, Nanos{1});
  state.field("anticipation", anticipation_);
  state.time_or("now", now_, no_view);
  state.virtual_time("virtual_time", virtual_time_);
  state.accounts("queues", queues_);
  state.position("running", running_, queues_.size());
  state.duration("run_for", run_for_);
  state.field("ran", ran_);
  state.require(slice_ <= max_latency_slice, "slice");
  if (!state.restoring()) return;
  for (std::uint32_t position = 0; position < queues_.size(); ++position) {
    Queue const& queue = queues_[position];
    bool const waits = queue.ready || queue.held;
    Nanos const behind = virtual_time_ - queue.tag;
    bool const valid = in_reach(queue.tag, virtual_time_, queue.weight) &&
                       (!waits || behind <= weighted(most_ahead, queue.weight));
    state.require(valid, "tag");
    line_up(position);
  }
}

} // namespace pegasus::policies
