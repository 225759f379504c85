// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/placement.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace pegasus::daemon {
namespace {

using guests::Rejection;

constexpr std::chrono::seconds review_waiting{1};

Promise promise_of(Domain const& domain) {
  return {.memory = domain.settings.memory, .slo = domain.settings.slo, .only = domain.settings.accelerator};
}

} // namespace

// For a domain without tasks.
tl::expected<void, Rejection> Placement::place(Domain& domain) {
  Promise promise = promise_of(domain);
  std::vector<std::size_t> const possible = where_kept(capacities_for(domain, Counted::all), promise);
  if (possible.empty()) return tl::unexpected(not_admitted(domain));
  std::vector<Candidate> all = candidates(Counted::all, domain);
  add_load(all, domain);
  std::vector<Candidate> of_these;
  for (std::size_t const index : possible)
    of_these.push_back(all[index]);
  PlacementRequest const request{
      .credits = domain.settings.credits, .memory = domain.settings.memory, .slo = domain.settings.slo};
  std::size_t const chosen = possible[select_accelerator(of_these, request)];
  domain.accelerator = &accelerators_[chosen];
  domains_.apply(domain);
  domains_.share_memory(&domain);
  // Only from now on do domains without a limit take no more of the memory that it was promised.
  promise.only = chosen;
  if (where_kept(capacities_for(domain, Counted::all), promise).empty()) {
    domains_.share_memory();
    return tl::unexpected(
        Rejection{PEGASUS_ASK_AGAIN, fmt::format("others took memory while domain {} came", domain.name)});
  }
  if (auto const since = domains_.waiting().since(domain.id))
    log_(spdlog::level::info, "domain {} waits no more, after {:.1f} s", domain.name,
         std::chrono::duration<double>(accelerators_.now() - *since).count());
  domains_.waiting().leave(domain.id);
  domain.placement = domain.settings.accelerator ? "the operator chose it" : explain_selection(all, request);
  domain.came = accelerators_.now();
  return {};
}

Rejection Placement::not_admitted(Domain& domain) {
  Promise const promise = promise_of(domain);
  std::vector<Capacity> const capacities = capacities_for(domain, Counted::all);
  if (!ever_kept(capacities, promise)) return refuse(domain, never(domain.name, capacities, promise));
  std::string why = not_now(domain.name, capacities, promise);
  // Tasks that are being ended leave soon; no domain is refused because of them.
  bool const soon = !where_kept(capacities_for(domain, Counted::staying), promise).empty();
  if (options_.admission == Admission::refuse && !soon)
    return refuse(
        domain, why + ": end a program of another domain, set less, or start pegasusd with --admission wait");
  if (options_.admission == Admission::wait) {
    if (std::size_t const before = domains_.waiting().before(domain.id); before > 0)
      why += fmt::format("; before it {} wait{}", before, before == 1 ? "s" : "");
    wait_in_line(domain, why);
  }
  return Rejection{PEGASUS_ASK_AGAIN, std::move(why)};
}

tl::expected<void, Rejection> Placement::has_room_for_context(Domain& domain, std::uint64_t free) {
  std::uint64_t const context = domain.accelerator->found().device.context_bytes;
  if (context <= free) {
    domain.not_admitted.clear();
    domain.refused_at.reset();
    return {};
  }
  std::string why = no_room_for_context(domain.name, domain.memory.bytes, free, context);
  bool const soon = domain.memory.bytes >= context && std::ranges::any_of(domains_, [&](auto const& each) {
                      return each.second.ending > 0 && each.second.accelerator == domain.accelerator;
                    });
  if (soon) return tl::unexpected(Rejection{PEGASUS_ASK_AGAIN, std::move(why)});
  return tl::unexpected(refuse(domain, std::move(why)));
}

Rejection Placement::refuse(Domain& domain, std::string why) {
  log_(spdlog::level::info, "refused: {}", why);
  domains_.waiting().leave(domain.id);
  domain.not_admitted = why;
  domain.refused_at = accelerators_.now();
  return Rejection{ENOSPC, std::move(why)};
}

void Placement::wait_in_line(Domain& domain, std::string const& why) {
  bool const is_new = !domains_.waiting().since(domain.id);
  domains_.waiting().ask(domain.id, accelerators_.now());
  domain.not_admitted = why;
  domain.refused_at.reset();
  if (!is_new) return;
  log_(spdlog::level::info, "waiting: {}", why);
  domains_.share_memory();
  if (domains_.waiting().places().size() == 1) review_line();
}

// While domains wait, those that have stopped asking are forgotten, unless pegasusd itself did not listen.
void Placement::review_line() {
  line_review_.expires_after(review_waiting);
  line_review_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    bool const listened = std::chrono::steady_clock::now() < line_review_.expiry() + review_waiting;
    if (listened && domains_.waiting().forget_silent(accelerators_.now())) domains_.share_memory();
    if (!domains_.waiting().places().empty()) review_line();
  });
}

// The room on each accelerator, with the promises of the domains that wait before this one set aside.
std::vector<Capacity> Placement::capacities_for(Domain const& domain, Counted counted) const {
  std::vector<Capacity> capacities;
  for (Candidate const& one : candidates(counted, domain))
    capacities.push_back({.memory = accelerators_[capacities.size()].memory_bytes(),
                          .free_memory = one.free_memory,
                          .slo = one.slo});
  if (domains_.waiting().places().empty()) return capacities;
  std::map<DomainId, Domain const*> by_id;
  for (auto const& [name, each] : domains_)
    by_id.emplace(each.id, &each);
  for (WaitingLine::Place const& place : domains_.waiting().places()) {
    if (place.domain == domain.id) break;
    if (auto const found = by_id.find(place.domain); found != by_id.end())
      set_aside(capacities, promise_of(*found->second));
  }
  return capacities;
}

// What is on the accelerators now, without one domain; add_load() adds the rest.
std::vector<Candidate> Placement::candidates(Counted counted, Domain const& without) const {
  std::vector<Candidate> all(accelerators_.size());
  std::vector<std::uint64_t> taken(accelerators_.size()), pooled(accelerators_.size()); // bytes
  for (auto const& [name, domain] : domains_) {
    std::uint32_t const tasks = counted == Counted::all ? domain.tasks : domain.tasks - domain.ending;
    if (tasks == 0 || &domain == &without) continue;
    std::size_t const where = domain.accelerator->index();
    std::uint64_t const most = domain.accelerator->memory_bytes();
    std::uint64_t const its = std::max(domain.settings.memory, used_memory(domain));
    std::uint64_t& sum = domain.settings.memory > 0 ? taken[where] : pooled[where];
    sum = std::min(most, sum + std::min(most, its));
    all[where].credits += domain.settings.credits;
    all[where].slo += domain.settings.slo;
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

void Placement::add_load(std::vector<Candidate>& all, Domain const& without) {
  accelerators_.on_schedulers_thread([&] {
    for (auto const& one : accelerators_)
      one->scheduler().bring_up_to_date();
    for (auto const& [name, domain] : domains_) {
      if (domain.tasks == 0 || &domain == &without) continue;
      monitor::Service const service = domain.accelerator->seen().service(domain.id);
      Candidate& its = all[domain.accelerator->index()];
      its.load += domain.settings.credits * activity(service.demand, accelerators_.now() - domain.came);
      its.violated |= service.violated;
    }
  });
}

control::RequestOutcome Placement::can_keep(Domain const& domain, control::Settings const& wanted) const {
  Promise promise{.memory = wanted.memory > domain.settings.memory ? wanted.memory : 0,
                  .slo = wanted.slo > domain.settings.slo ? wanted.slo : 0};
  if (domain.tasks == 0 || !promise.any()) return {};
  promise.only = domain.accelerator->index();
  std::vector<Capacity> const capacities = capacities_for(domain, Counted::all);
  if (where_kept(capacities, promise).empty())
    return control::not_as_things_are(not_now(domain.name, capacities, promise));
  return {};
}

} // namespace pegasus::daemon
