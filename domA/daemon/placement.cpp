// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/placement.h"

#include "control/quantity.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace pegasus::daemon {
namespace {

using guests::Rejection;
using placement::Available;
using placement::Reservation;

constexpr std::chrono::seconds review_waiting{1};

Reservation reservation_of(Domain const& domain) {
  return {.memory = domain.settings.memory, .slo = domain.settings.slo, .only = domain.settings.accelerator};
}

} // namespace

// For a domain without tasks.
tl::expected<void, Rejection> Placement::place(Domain& domain) {
  Reservation reservation = reservation_of(domain);
  std::vector<std::size_t> const feasible =
      placement::feasible_on(available_to(domain, Counted::all), reservation);
  if (feasible.empty()) return tl::unexpected(not_admitted(domain));
  std::vector<placement::DomainState> others = domains_but(domain, Counted::all);
  add_activity(others, domain);
  std::vector<placement::Candidate> const candidates =
      placement::candidates(accelerators(Counted::all, domain), others);
  std::vector<placement::Candidate> eligible;
  for (std::size_t const index : feasible)
    eligible.push_back(candidates[index]);
  placement::PlacementRequest const request{
      .credits = domain.settings.credits, .memory = domain.settings.memory, .slo = domain.settings.slo};
  std::size_t const chosen = feasible[placement::select_accelerator(eligible, request)];
  domain.accelerator = &accelerators_[chosen];
  domains_.apply(domain);
  domains_.share_memory(&domain);
  // Only from now on do domains without a limit take no more of the memory that is reserved for it.
  reservation.only = chosen;
  if (placement::feasible_on(available_to(domain, Counted::all), reservation).empty()) {
    domains_.share_memory();
    return tl::unexpected(
        Rejection{PEGASUS_ASK_AGAIN,
                  fmt::format("other domains allocated the memory that domain {} needs at the same time",
                              domain.name)});
  }
  if (auto const since = domains_.waiting().since(domain.id))
    log_(spdlog::level::info, "domain {} is admitted after {:.1f} s", domain.name,
         std::chrono::duration<double>(accelerators_.now() - *since).count());
  domains_.waiting().remove(domain.id);
  domain.placement = domain.settings.accelerator ? "the operator chose it"
                                                 : placement::explain_selection(candidates, request);
  domain.arrived = accelerators_.now();
  return {};
}

Rejection Placement::not_admitted(Domain& domain) {
  Reservation const reservation = reservation_of(domain);
  std::vector<Available> const available = available_to(domain, Counted::all);
  if (!placement::feasible_when_empty(available, reservation))
    return refuse(domain, placement::infeasible_message(domain.name, available, reservation));
  std::string why = placement::busy_message(domain.name, available, reservation);
  // Tasks that are being ended leave soon; no domain is refused because of them.
  bool const soon = !placement::feasible_on(available_to(domain, Counted::staying), reservation).empty();
  if (options_.admission == Admission::refuse && !soon)
    return refuse(
        domain, why + ": end a program of another domain, set less, or start pegasusd with --admission wait");
  if (options_.admission == Admission::wait) {
    if (std::size_t const before = domains_.waiting().before(domain.id); before > 0)
      why += fmt::format("; {} before it", control::counted(before, "waiting domain"));
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
  std::string why = placement::no_context_message(domain.name, domain.memory.bytes, free, context);
  bool const soon = domain.memory.bytes >= context && std::ranges::any_of(domains_, [&](auto const& entry) {
                      return entry.second.ending > 0 && entry.second.accelerator == domain.accelerator;
                    });
  if (soon) return tl::unexpected(Rejection{PEGASUS_ASK_AGAIN, std::move(why)});
  return tl::unexpected(refuse(domain, std::move(why)));
}

Rejection Placement::refuse(Domain& domain, std::string why) {
  log_(spdlog::level::info, "refused: {}", why);
  domains_.waiting().remove(domain.id);
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
    if (listened && domains_.waiting().drop_silent(accelerators_.now())) domains_.share_memory();
    if (!domains_.waiting().places().empty()) review_line();
  });
}

std::vector<Available> Placement::available_to(Domain const& domain, Counted counted) const {
  std::vector<Available> left =
      placement::available(accelerators(counted, domain), domains_but(domain, counted));
  if (domains_.waiting().places().empty()) return left;
  std::map<DomainId, Domain const*> by_id;
  for (auto const& [name, other] : domains_)
    by_id.emplace(other.id, &other);
  for (placement::WaitingLine::Place const& place : domains_.waiting().places()) {
    if (place.domain == domain.id) break;
    if (auto const found = by_id.find(place.domain); found != by_id.end())
      placement::reserve(left, reservation_of(*found->second));
  }
  return left;
}

std::vector<placement::AcceleratorState> Placement::accelerators(Counted counted,
                                                                 Domain const& without) const {
  std::vector<placement::AcceleratorState> states;
  for (auto const& accelerator : accelerators_) {
    std::uint64_t used = counted == Counted::all ? accelerator->memory().used_bytes() : 0;
    if (without.accelerator == accelerator.get()) used -= std::min(used, used_memory(without));
    states.push_back({.capability = placement::capability(accelerator->found().profile),
                      .memory = accelerator->memory_bytes(),
                      .pool = accelerator->memory().pool_bytes(),
                      .used = used,
                      .failing = accelerator->failing()});
  }
  return states;
}

std::vector<placement::DomainState> Placement::domains_but(Domain const& without, Counted counted) const {
  std::vector<placement::DomainState> states;
  for (auto const& [name, domain] : domains_) {
    std::uint32_t const tasks = counted == Counted::all ? domain.tasks : domain.tasks - domain.ending;
    if (tasks > 0 && &domain != &without)
      states.push_back({.accelerator = domain.accelerator->index(),
                        .credits = domain.settings.credits,
                        .slo = domain.settings.slo,
                        .memory_limit = domain.settings.memory,
                        .memory_used = used_memory(domain)});
  }
  return states;
}

// `domains`: all in use but one, as domains_but() lists them.
void Placement::add_activity(std::vector<placement::DomainState>& domains, Domain const& without) {
  accelerators_.on_schedulers_thread([&] {
    for (auto const& accelerator : accelerators_)
      accelerator->scheduler().bring_up_to_date();
    auto state = domains.begin();
    for (auto const& [name, domain] : domains_) {
      if (domain.tasks == 0 || &domain == &without) continue;
      monitor::Service const service = domain.accelerator->seen().service(domain.id);
      state->activity = placement::activity(service.demand, accelerators_.now() - domain.arrived);
      state->violated = service.violated;
      ++state;
    }
  });
}

control::RequestOutcome Placement::can_keep(Domain const& domain, control::Settings const& settings) const {
  Reservation reservation{.memory = settings.memory > domain.settings.memory ? settings.memory : 0,
                          .slo = settings.slo > domain.settings.slo ? settings.slo : 0};
  if (domain.tasks == 0 || !reservation.any()) return {};
  reservation.only = domain.accelerator->index();
  std::vector<Available> const available = available_to(domain, Counted::all);
  if (placement::feasible_on(available, reservation).empty())
    return control::not_as_things_are(placement::busy_message(domain.name, available, reservation));
  return {};
}

} // namespace pegasus::daemon
