// SPDX-License-Identifier: Apache-2.0
#include "policies/shared_fair.h"

#include "policies/accounts.h"
#include "policies/weights.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr int leads_per_tick = 5;
constexpr int activities_per_tick = 2; // as dfq's
constexpr int samples_per_tick = 10;
// Of that many domains each gets an eighth of the device: it is ahead by a lead after many intervals.
constexpr int domains_per_interval = 8;
constexpr int max_intervals = 5;
constexpr int max_idle_ticks = 10;
// The others are ahead of it by a lead and a kernel when its calls end for a moment: that must not be lost.
constexpr int max_lag_ticks = 2;
// Tags restart before they overflow, as in fair.cpp.
constexpr Nanos max_virtual_time{std::int64_t{1} << 61};
constexpr Nanos most_behind{std::int64_t{1} << 54};

} // namespace

SharedFairQueuing::SharedFairQueuing(Tunables const& tunables)
    : sample_interval_(tunables.bounded_tick() / samples_per_tick),
      lead_(tunables.bounded_tick() / leads_per_tick), idle_(tunables.bounded_tick() * max_idle_ticks),
      lag_(tunables.bounded_tick() * max_lag_ticks), active_(tunables.bounded_tick() / activities_per_tick),
      max_debt_(tunables.bounded_tick() * max_debt_ticks) {}

Decision SharedFairQueuing::decide(View const& view) {
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  update(view, had);
  return answer();
}

// Charges the use first, with the calls as they were, and then takes over the current calls.
void SharedFairQueuing::update(View const& view, Nanos had) {
  std::optional<std::uint32_t> none;
  if (!view.changed) follow(view, queues_, none, [this](DomainView const& domain) { return enter(domain); });
  for_changed(view, [&](std::uint32_t position) {
    Queue& queue = queues_[position];
    Nanos const total = total_of(view.domains[position]);
    Nanos const used = std::clamp(total - queue.seen_total, Nanos{0}, max_debt_);
    queue.tag += weighted(used, queue.weight);
    queue.seen_total = total;
    queue.used = used;
  });
  advance_virtual_time(had);
  // Of all: a domain becomes inactive as time passes, without a change in the View.
  for (std::uint32_t position = 0; position < queues_.size(); ++position)
    wake(queues_[position], view.domains[position]);
}

// Rule 2, for the time since the last View.
void SharedFairQueuing::advance_virtual_time(Nanos had) {
  auto const least = least_tag();
  virtual_time_ = least ? std::max(virtual_time_, *least) : virtual_time_ + had;
  if (virtual_time_ < max_virtual_time) return;
  for (Queue& queue : queues_) // once in years
    queue.tag -= virtual_time_;
  virtual_time_ = Nanos{0};
}

void SharedFairQueuing::wake(Queue& queue, DomainView const& domain) const {
  reweigh(queue, std::clamp(domain.credits, min_credits, max_credits));
  queue.connected = domain.tasks > 0;
  bool const was_active = queue.activity.active(now_);
  queue.activity.sample(now_, queue.used, domain.calls_waiting > 0, active_);
  queue.used = Nanos{0};
  if (!was_active) queue.tag = std::max(queue.tag, virtual_time_ - weighted(lag_, queue.weight));
}

// The device time by which the domain is ahead or behind stays the same.
void SharedFairQueuing::reweigh(Queue& queue, std::int64_t weight) const {
  if (weight == queue.weight) return;
  queue.tag = virtual_time_ + at_weight(queue.tag - virtual_time_, queue.weight, weight, lag_, max_debt_);
  queue.weight = weight;
}

SharedFairQueuing::Queue SharedFairQueuing::enter(DomainView const& domain) const {
  std::int64_t const weight = std::clamp(domain.credits, min_credits, max_credits);
  return {.id = domain.id,
          .weight = weight,
          .tag = virtual_time_ + weighted(std::clamp(domain.debt, Nanos{0}, max_debt_), weight),
          .seen_total = total_of(domain)};
}

std::optional<Nanos> SharedFairQueuing::least_tag() const {
  std::optional<Nanos> least;
  for (Queue const& queue : queues_)
    if (queue.activity.active(now_)) least = std::min(least.value_or(queue.tag), queue.tag);
  return least;
}

Nanos SharedFairQueuing::debt(DomainId id) const {
  Queue const* const found = find(queues_, id);
  return found == nullptr ? Nanos{0}
                          : std::max(unweighted(found->tag - virtual_time_, found->weight), Nanos{0});
}

Nanos SharedFairQueuing::sample_interval() const {
  auto const active =
      std::ranges::count_if(queues_, [this](Queue const& queue) { return queue.activity.active(now_); });
  return sample_interval_ * std::clamp(static_cast<int>(active) / domains_per_interval, 1, max_intervals);
}

Decision SharedFairQueuing::answer() {
  auto const least = least_tag();
  if (least) wanted_at_ = now_;
  bool const wanted = now_ - wanted_at_ < idle_;
  Decision decision;
  for (Queue& queue : queues_) {
    if (!queue.connected) continue;
    Nanos const ahead = least ? unweighted(queue.tag - *least, queue.weight) : Nanos{0};
    queue.waits = ahead > (queue.waits ? lead_ / 2 : lead_);
    if (!queue.waits && wanted) decision.run.push_back(queue.id);
  }
  bool const same = decision.run == run_;
  run_ = decision.run;
  if (run_.empty()) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  decision.until = now_ + idle_review;
  decision.ask_again = now_ + sample_interval();
  decision.reason = same ? Reason::unchanged : Reason::share;
  return decision;
}

// What it used is charged in each decision.
void SharedFairQueuing::Queue::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.virtual_time("tag", tag);
  state.duration("seen_total", seen_total);
  state.field("connected", connected);
  state.field("activity", activity);
  state.field("waits", waits);
}

void SharedFairQueuing::visit(StateVisitor& state) {
  state.time_or("now", now_, no_view);
  state.field("wanted_at", wanted_at_);
  state.virtual_time("virtual_time", virtual_time_);
  state.accounts("queues", queues_);
  state.ascending("run", run_);
  if (!state.restoring()) return;
  for (Queue& queue : queues_) {
    state.require(in_reach(queue.tag, virtual_time_, queue.weight), "tag");
    queue.tag = std::max(queue.tag, virtual_time_ - most_behind); // more says nothing, and cannot be counted
  }
}

} // namespace pegasus::policies
