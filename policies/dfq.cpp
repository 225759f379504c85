// SPDX-License-Identifier: Apache-2.0
#include "policies/dfq.h"

#include "policies/accounts.h"
#include "policies/weights.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

namespace {

constexpr int samples_per_tick = 2;
// The others would be kept from the device by a domain that needs little of it if that were longer.
constexpr int lags_per_tick = 2;
// A second at most: an operator who looks sees a domain's programs go on.
constexpr Nanos max_free_run{std::chrono::seconds(1)};

Nanos times(Nanos time, double factor) {
  return Nanos(static_cast<std::int64_t>(static_cast<double>(time.count()) * factor));
}

} // namespace

DisengagedFairQueuing::DisengagedFairQueuing(Tunables const& tunables)
    : sample_(tunables.bounded_tick() / samples_per_tick),
      max_debt_(tunables.bounded_tick() * max_debt_ticks), lag_(tunables.bounded_tick() / lags_per_tick),
      free_run_(tunables.free_run) {}

Decision DisengagedFairQueuing::decide(View const& view) {
  update(view);
  auto const stop = stop_reason();
  if (stop) next_phase(*stop);
  return answer(stop.value_or(Reason::unchanged));
}

void DisengagedFairQueuing::update(View const& view) {
  ran_ += had_device(view, now_);
  now_ = view.now;
  if (!view.changed) {
    follow(view, queues_, sampled_, [this](DomainView const& domain) { return enter(domain); });
    came_or_went_ = true;
  }
  for_changed(view, [&](std::uint32_t position) { look_at(position, view.domains[position]); });
  if (!view.changed) recount();
}

void DisengagedFairQueuing::look_at(std::uint32_t position, DomainView const& domain) {
  Queue& queue = queues_[position];
  Nanos const total = total_of(domain);
  Nanos const used = std::clamp(total - queue.seen_total, Nanos{0}, max_debt_);
  queue.seen_total = total;
  if (ran_ > Nanos{0}) queue.used += used; // before, it is what the drain took
  queue.tag += weighted(used, queue.weight);
  std::int64_t const weight = std::clamp(domain.credits, min_credits, max_credits);
  if (weight != queue.weight) queue.tag = at_weight(queue.tag, queue.weight, weight, Nanos{0}, max_debt_);
  queue.weight = weight;
  queue.connected = domain.tasks > 0;
  bool const ready = domain.calls_waiting > 0;
  stay_active(queue, used, ready);
  bool const was_barred = std::exchange(queue.barred, domain.barred && !domain.capped);
  if (ready == queue.ready) return;
  queue.ready = ready;
  std::uint32_t const one = ready ? 1U : ~0U; // or minus one
  ready_ += one;
  if (queue.runs) ready_running_ += one;
  if (ready && !was_barred) queue.tag = std::max(queue.tag, -weighted(lag_, queue.weight));
}

// What it used before it went quiet is as long as it may be expected back: a program that computes between
// its calls needs its share; one that needs less than half of the device does not.
void DisengagedFairQueuing::stay_active(Queue& queue, Nanos used, bool ready) {
  bool const unseen = used > Nanos{0} && ready; // it came back since the last look, and waits again
  if (!active(queue) && !unseen) queue.work = Nanos{0};
  queue.work = std::min(queue.work + used, sample_);
  if (used > Nanos{0} || queue.ready || ready) queue.active_until = now_ + queue.work;
  if (queue.runs) served_until_ = std::max(served_until_, queue.active_until);
}

DisengagedFairQueuing::Queue DisengagedFairQueuing::enter(DomainView const& domain) const {
  std::int64_t const weight = std::clamp(domain.credits, min_credits, max_credits);
  return {.id = domain.id,
          .weight = weight,
          .tag = weighted(std::clamp(domain.debt, Nanos{0}, max_debt_), weight),
          .seen_total = total_of(domain)};
}

void DisengagedFairQueuing::recount() {
  ready_ = ready_running_ = 0;
  for (Queue const& queue : queues_) {
    ready_ += queue.ready ? 1 : 0;
    ready_running_ += queue.ready && queue.runs ? 1 : 0;
  }
}

// Returns why the sample or the free run is over, or is to be chosen anew; nullopt if it goes on.
std::optional<Reason> DisengagedFairQueuing::stop_reason() const {
  if (sampling_) {
    if (!sampled_) return Reason::departure;
    if (ran_ >= sample_) return Reason::sample;
    return queues_[*sampled_].ready ? std::nullopt : std::optional(Reason::yield);
  }
  if (length_ == Nanos{0}) return Reason::arrival; // the first View
  if (ran_ >= length_) return Reason::share;
  if (came_or_went_) return Reason::arrival;
  if (only_blocked_have_calls() && now_ >= served_until_) return Reason::yield;
  return std::nullopt;
}

void DisengagedFairQueuing::next_phase(Reason reason) {
  if (!sampling_ && reason == Reason::arrival && length_ > Nanos{0}) return choose();
  book();
  if (!sampling_ && reason == Reason::share && ready_ > 1) choose_samples();
  auto const next =
      std::ranges::find_if(queues_, [](Queue& queue) { return queue.to_sample && queue.ready; });
  if (next == queues_.end()) return begin_free_run();
  sample(static_cast<std::uint32_t>(next - queues_.begin()));
}

// At the end of a sample or free run. Its time cannot have been used more than once.
void DisengagedFairQueuing::book() {
  if (sampled_ && ran_ > Nanos{0}) {
    Queue& queue = queues_[*sampled_];
    queue.demand = std::min(1.0, static_cast<double>(queue.used.count()) / static_cast<double>(ran_.count()));
  }
  double used = 0;
  for (Queue const& queue : queues_)
    used += static_cast<double>(queue.used.count());
  double const excess = sampling_ ? 0 : std::max(0.0, 1 - static_cast<double>(ran_.count()) / used);
  for (Queue& queue : queues_) {
    if (used > 0) queue.tag -= weighted(times(queue.used, excess), queue.weight);
    queue.used = Nanos{0};
  }
  ran_ = Nanos{0};
}

// What a sample says of a domain is asked in the free run that follows. One that will be blocked there would
// only have the sample's time for nothing, and one that is alone there needs no division.
void DisengagedFairQueuing::choose_samples() {
  set_length();
  double const demands = begin_virtual_time().value_or(0);
  std::size_t samples = 0;
  for (Queue& queue : queues_) {
    queue.to_sample = active(queue) && may_run(queue, demands);
    samples += queue.to_sample ? 1 : 0;
  }
  if (samples > 1) return;
  for (Queue& queue : queues_)
    queue.to_sample = false;
}

void DisengagedFairQueuing::sample(std::uint32_t position) {
  sampling_ = true;
  sampled_ = position;
  for (Queue& queue : queues_)
    queue.runs = false;
  queues_[position].to_sample = false;
  queues_[position].runs = true;
  recount();
}

void DisengagedFairQueuing::begin_free_run() {
  sampling_ = false;
  sampled_.reset();
  set_length();
  choose();
}

// Of the next free run.
void DisengagedFairQueuing::set_length() {
  auto const contenders =
      std::ranges::count_if(queues_, [this](Queue const& queue) { return active(queue); });
  length_ = std::min(times(sample_ * std::max<std::int64_t>(contenders, 1), free_run_), max_free_run);
}

// Counts the tags from now on, so that they stay small. Returns the demands of all active domains; nullopt if
// there is none.
std::optional<double> DisengagedFairQueuing::begin_virtual_time() {
  auto const virtual_time = least_tag();
  if (!virtual_time) return std::nullopt;
  double demands = 0;
  for (Queue& queue : queues_) {
    queue.tag = std::max(queue.tag - *virtual_time,
                         queue.barred ? -weighted(max_debt_, queue.weight) : -weighted(lag_, queue.weight));
    if (active(queue)) demands += queue.demand;
  }
  return demands;
}

// Of the active domains.
std::optional<Nanos> DisengagedFairQueuing::least_tag() const {
  std::optional<Nanos> least;
  for (Queue const& queue : queues_)
    if (active(queue)) least = std::min(least.value_or(queue.tag), queue.tag);
  return least;
}

// Which domains run in the free run.
void DisengagedFairQueuing::choose() {
  came_or_went_ = false;
  auto const demands = begin_virtual_time();
  served_until_ = Time::min();
  for (Queue& queue : queues_) {
    queue.runs = queue.connected && (!demands || may_run(queue, *demands));
    if (queue.runs) served_until_ = std::max(served_until_, queue.active_until);
  }
  recount();
}

// `demands`: of all active domains.
bool DisengagedFairQueuing::may_run(Queue const& queue, double demands) const {
  if (queue.tag <= Nanos{0}) return true;
  double const part = active(queue) && demands > 0 ? queue.demand / demands : 0;
  return unweighted(queue.tag, queue.weight) + times(length_, part) <= length_;
}

Nanos DisengagedFairQueuing::debt(DomainId id) const {
  Queue const* const found = find(queues_, id);
  if (found == nullptr) return Nanos{0};
  Nanos const ahead = found->tag - least_tag().value_or(Nanos{0});
  return std::max(unweighted(ahead, found->weight), Nanos{0});
}

Decision DisengagedFairQueuing::answer(Reason reason) {
  Decision decision;
  for (Queue const& queue : queues_)
    if (queue.runs) decision.run.push_back(queue.id);
  bool const same = decision.run == run_;
  run_ = decision.run;
  if (run_.empty()) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  decision.until = decision.ask_again = now_ + ((sampling_ ? sample_ : length_) - ran_);
  if (!sampling_) {
    // Also for the dispatcher, which then looks again at the tasks of the domains.
    decision.ask_again = std::min(decision.until, only_blocked_have_calls() ? served_until_ : now_ + sample_);
  }
  decision.reason = same && reason == Reason::arrival ? Reason::unchanged : reason;
  return decision;
}

void DisengagedFairQueuing::Queue::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.virtual_time("tag", tag);
  state.duration("seen_total", seen_total);
  state.duration("used", used);
  state.field("demand", demand);
  state.field("connected", connected);
  state.field("ready", ready);
  state.field("barred", barred);
  state.duration("work", work);
  state.time_or("active_until", active_until, Time::min());
  state.field("to_sample", to_sample);
  state.field("runs", runs);
  state.require(demand >= 0 && demand <= 1, "demand");
  state.require(in_reach(tag, Nanos{0}, weight) && in_reach(-tag, Nanos{0}, weight), "tag");
}

void DisengagedFairQueuing::visit(StateVisitor& state) {
  state.time_or("now", now_, no_view);
  state.accounts("queues", queues_);
  state.position("sampled", sampled_, queues_.size());
  state.field("sampling", sampling_);
  state.field("came_or_went", came_or_went_);
  state.time_or("served_until", served_until_, Time::min());
  state.field("ran", ran_);
  state.duration("length", length_);
  state.ascending("run", run_);
  if (state.restoring()) recount();
}

} // namespace pegasus::policies
