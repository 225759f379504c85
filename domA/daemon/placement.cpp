// SPDX-License-Identifier: Apache-2.0
// Whether a domain's first task is let in, and on which accelerator: the rules of promises.h and selection.h,
// over what there is.
#include "domA/daemon/daemon.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>

namespace pegasus::daemon {
namespace {

using guests::Refusal;

constexpr std::chrono::seconds review_waiting{1};

Promise promise_of(Domain const& domain) {
  return {.memory = domain.memory_limit, .slo = domain.slo, .only = domain.pinned};
}

} // namespace

// For a domain without tasks.
tl::expected<void, Refusal> Daemon::place(Domain& domain) {
  Promise promise = promise_of(domain);
  std::vector<std::size_t> const possible = where_kept(rooms_for(domain, Counted::all), promise);
  if (possible.empty()) return tl::unexpected(not_admitted(domain));
  std::vector<Candidate> all = candidates(Counted::all, domain);
  look_at_load(all, domain);
  std::vector<Candidate> of_these;
  for (std::size_t const index : possible)
    of_these.push_back(all[index]);
  Wish const wish{.credits = domain.credits, .memory = domain.memory_limit, .slo = domain.slo};
  std::size_t const chosen = possible[select_accelerator(of_these, wish)];
  domain.accelerator = accelerators_[chosen].get();
  apply(domain);
  share_memory(&domain);
  // Only now those without a limit take no more of what it was promised.
  promise.only = chosen;
  if (where_kept(rooms_for(domain, Counted::all), promise).empty()) {
    share_memory();
    return tl::unexpected(
        Refusal{PEGASUS_ASK_AGAIN, fmt::format("others took memory while domain {} came", domain.name)});
  }
  if (auto const since = waiting_.since(domain.id))
    guest_log_(spdlog::level::info, "domain {} waits no more, after {:.1f} s", domain.name,
               std::chrono::duration<double>(now() - *since).count());
  waiting_.leave(domain.id);
  domain.placement = domain.pinned ? "the operator chose it" : explain_selection(all, wish);
  domain.not_admitted.clear();
  domain.refused_at.reset();
  domain.came = now();
  return {};
}

Refusal Daemon::not_admitted(Domain& domain) {
  Promise const promise = promise_of(domain);
  std::vector<Room> const rooms = rooms_for(domain, Counted::all);
  auto const refuse = [&](std::string why) {
    guest_log_(spdlog::level::info, "refused: {}", why);
    waiting_.leave(domain.id);
    domain.not_admitted = why;
    domain.refused_at = now();
    return Refusal{ENOSPC, std::move(why)};
  };
  if (!ever_kept(rooms, promise)) return refuse(never(domain.name, rooms, promise));
  std::string why = not_now(domain.name, rooms, promise);
  // Tasks that are being ended are gone in a moment, and nobody is refused for these.
  bool const soon = !where_kept(rooms_for(domain, Counted::staying), promise).empty();
  if (options_.admission == Admission::refuse && !soon)
    return refuse(why +
                  ": end a program of another domain, set less, or start pegasusd with --admission wait");
  if (options_.admission == Admission::wait) {
    if (std::size_t const before = waiting_.before(domain.id); before > 0)
      why += fmt::format("; before it {} wait{}", before, before == 1 ? "s" : "");
    wait_in_line(domain, why);
  }
  return Refusal{PEGASUS_ASK_AGAIN, std::move(why)};
}

void Daemon::wait_in_line(Domain& domain, std::string const& why) {
  bool const is_new = !waiting_.since(domain.id);
  waiting_.ask(domain.id, now());
  domain.not_admitted = why;
  domain.refused_at.reset();
  if (!is_new) return;
  guest_log_(spdlog::level::info, "waiting: {}", why);
  share_memory();
  if (waiting_.places().size() == 1) review_line();
}

// Who does not ask any more is forgotten, while anybody waits; not if it was pegasusd that did not listen.
void Daemon::review_line() {
  line_review_.expires_after(review_waiting);
  line_review_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    bool const listened = std::chrono::steady_clock::now() < line_review_.expiry() + review_waiting;
    if (listened && waiting_.forget_silent(now())) share_memory();
    if (!waiting_.places().empty()) review_line();
  });
}

// Where what those have that wait in front of it is set aside.
std::vector<Room> Daemon::rooms_for(Domain const& domain, Counted counted) const {
  std::vector<Room> rooms;
  for (Candidate const& one : candidates(counted, domain))
    rooms.push_back({.memory = accelerators_[rooms.size()]->memory_bytes(),
                     .free_memory = one.free_memory,
                     .slo = one.slo});
  if (waiting_.places().empty()) return rooms;
  std::map<DomainId, Domain const*> by_id;
  for (auto const& [name, each] : domains_)
    by_id.emplace(each.id, &each);
  for (WaitingLine::Place const& place : waiting_.places()) {
    if (place.domain == domain.id) break;
    if (auto const found = by_id.find(place.domain); found != by_id.end())
      set_aside(rooms, promise_of(*found->second));
  }
  return rooms;
}

// What is on them now, without one domain; look_at_load() adds the rest.
std::vector<Candidate> Daemon::candidates(Counted counted, Domain const& without) const {
  std::vector<Candidate> all(accelerators_.size());
  std::vector<std::uint64_t> taken(accelerators_.size()), pooled(accelerators_.size()); // bytes
  std::set<Domain const*> counted_ones;
  for (auto const& [id, seat] : seats_)
    if (counted == Counted::all || !seat->leaving || seat->stuck) counted_ones.insert(seat->task.domain);
  counted_ones.erase(&without);
  for (Domain const* const one : counted_ones) {
    Domain const& domain = *one;
    std::size_t const where = domain.accelerator->index();
    std::uint64_t const most = domain.accelerator->memory_bytes();
    std::uint64_t const its = std::max(domain.memory_limit, used_memory(domain));
    std::uint64_t& sum = domain.memory_limit > 0 ? taken[where] : pooled[where];
    sum = std::min(most, sum + std::min(most, its));
    all[where].credits += domain.credits;
    all[where].slo += domain.slo;
  }
  for (auto const& one : accelerators_) {
    Candidate& its = all[one->index()];
    taken[one->index()] += std::min(pooled[one->index()], one->memory().pool_bytes());
    std::uint64_t used = counted == Counted::all ? one->memory().used_bytes() : 0;
    if (without.accelerator == one.get()) used -= std::min(used, used_memory(without));
    its.capability = capability(one->found().profile);
    its.free_memory =
        one->memory_bytes() - std::min(one->memory_bytes(), std::max(taken[one->index()], used));
    its.failing = one->failing();
  }
  return all;
}

void Daemon::look_at_load(std::vector<Candidate>& all, Domain const& without) {
  scheduling_([&] {
    for (auto const& one : accelerators_)
      one->scheduler().bring_up_to_date();
    for (auto const& [name, domain] : domains_) {
      if (domain.tasks == 0 || &domain == &without) continue;
      monitor::Service const service = domain.accelerator->seen().service(domain.id);
      Candidate& its = all[domain.accelerator->index()];
      its.load += domain.credits * activity(service.demand, now() - domain.came);
      its.violated |= service.violated;
    }
  });
}

std::string Daemon::promise_lack(Domain const& domain, std::uint64_t memory, double slo) const {
  Promise promise{.memory = memory > domain.memory_limit ? memory : 0, .slo = slo > domain.slo ? slo : 0};
  if (domain.tasks == 0 || !promise.any()) return {};
  promise.only = domain.accelerator->index();
  std::vector<Room> const rooms = rooms_for(domain, Counted::all);
  return where_kept(rooms, promise).empty() ? not_now(domain.name, rooms, promise) : std::string();
}

} // namespace pegasus::daemon
