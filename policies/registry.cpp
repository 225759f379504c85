// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"

#include "policies/accc.h"
#include "policies/augc.h"
#include "policies/cosched.h"
#include "policies/credit_hs.h"
#include "policies/credit_poll.h"
#include "policies/dfq.h"
#include "policies/eevdf.h"
#include "policies/fair.h"
#include "policies/lead.h"
#include "policies/none.h"
#include "policies/rr.h"
#include "policies/slaf.h"
#include "policies/strict_co.h"
#include "policies/timeslice_disengaged.h"
#include "policies/timeslice_engaged.h"
#include "policies/xc.h"

#include <algorithm>
#include <array>
#include <string>

namespace pegasus::policies {

namespace {

template <class Named> std::string names(Named const& all) {
  std::string text;
  for (auto const& one : all)
    text.append(text.empty() ? "" : ", ").append(one.name);
  return text.empty() ? "nothing" : text;
}

template <class P> std::unique_ptr<Policy> make(Tunables const& tunables) {
  return std::make_unique<P>(tunables);
}

constexpr std::array for_all{tunable::tick, tunable::host_weight};
constexpr std::array for_rounds{tunable::tick, tunable::host_weight, tunable::longest_wait, tunable::hold};
constexpr std::array for_fair{tunable::tick,         tunable::host_weight, tunable::slice,
                              tunable::longest_wait, tunable::hold,        tunable::interactive};
constexpr std::array for_eevdf{tunable::tick, tunable::host_weight, tunable::usual_slice,
                               tunable::longest_wait, tunable::hold};
constexpr std::array for_cosched{tunable::tick, tunable::host_weight, tunable::longest_wait, tunable::hold,
                                 tunable::patience};
constexpr std::array for_dfq{tunable::tick, tunable::host_weight, tunable::free_run};

constexpr bool conserving = true; // work conserving
constexpr bool exclusive = true;
constexpr bool accounts = true;
constexpr bool reads_schedule = true;
constexpr bool guests_poll = true;
constexpr bool engaged = true;

// clang-format off
constexpr std::array table{
    Entry{"none", "Pegasus 4.1", "no scheduling: every domain submits, the device arbitrates",
          conserving, !exclusive, !accounts, !reads_schedule, !guests_poll, !engaged, 0, {}, make<None>},
    Entry{"rr", "Pegasus 4.3", "round robin: equal device time, whatever the credits",
          conserving, exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 4, for_rounds, make<RoundRobin>},
    Entry{"accc", "Pegasus 4.1, Algorithm 1", "AccCredit: device time in proportion to accelerator credits",
          conserving, exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 4, for_rounds, make<AccCredit>},
    Entry{"xc", "Pegasus 4.3", "XenoCredit: device time in proportion to the domains' CPU weights",
          conserving, exclusive, accounts, reads_schedule, !guests_poll, !engaged, 4, for_rounds, make<XenoCredit>},
    Entry{"slaf", "Pegasus 4.3", "SLA feedback: accc, and extra ticks for domains that receive less than their SLO",
          conserving, exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 4, for_rounds, make<SlaFeedback>},
    Entry{"augc", "Pegasus 4.3, Algorithm 2", "augmented credit: accc's shares, domains that are on a CPU first",
          conserving, exclusive, accounts, reads_schedule, !guests_poll, !engaged, 8, for_rounds, make<AugmentedCredit>},
    Entry{"cosched", "Pegasus 4.2, Algorithm 2", "strict coscheduling: the hypervisor leads, shares may suffer",
          conserving, exclusive, accounts, reads_schedule, !guests_poll, !engaged, 19, for_cosched, make<Cosched>},
    Entry{"fair", "FairGV 3.2", "start-time fair queuing by credits; wakes the vCPUs of interactive domains",
          conserving, exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 3, for_fair, make<FairQueuing>},
    Entry{"eevdf", "Stoica, Abdel-Wahab 1995", "earliest eligible deadline: shares by credits, waits by latency slices",
          conserving, exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 3, for_eevdf, make<EarliestDeadline>},
    Entry{"lead", "ours", "shares by credits; changes the device's owner only where that pays, and wakes its vCPU",
          !conserving, !exclusive, accounts, reads_schedule, !guests_poll, !engaged, 3, for_all, make<Lead>},
    Entry{"dfq", "Fleig 2.4.6, 3.3.4 (NEON)", "disengaged fair queuing: all together, those far ahead blocked; samples",
          !conserving, !exclusive, accounts, !reads_schedule, !guests_poll, !engaged, 4, for_dfq, make<DisengagedFairQueuing>},
    Entry{"timeslice-engaged", "Fleig 2.4.6 (NEON)", "baseline: equal time slices, calls or not, and no call before the last has ended",
          !conserving, exclusive, !accounts, !reads_schedule, !guests_poll, engaged, 8, for_all, make<TimesliceEngaged>},
    Entry{"timeslice-disengaged", "Fleig 2.4.6 (NEON)", "baseline: equal time slices, calls or not",
          !conserving, exclusive, !accounts, !reads_schedule, !guests_poll, !engaged, 8, for_all, make<TimesliceDisengaged>},
    Entry{"credit-poll", "FairGV 5.3", "baseline: Xen's credit scheduler by time slices, also of domains without calls",
          !conserving, exclusive, !accounts, !reads_schedule, guests_poll, !engaged, 8, for_all, make<CreditPoll>},
    Entry{"credit-hs", "FairGV 5.3", "baseline: Xen's credit scheduler by time slices, left by domains without calls",
          conserving, exclusive, !accounts, !reads_schedule, !guests_poll, !engaged, 8, for_all, make<CreditHybridSpin>},
    Entry{"strict-co", "FairGV 5.3, Algorithms 1, 2", "baseline: credit-hs, and a domain that comes onto a CPU interrupts",
          conserving, exclusive, !accounts, reads_schedule, guests_poll, !engaged, 8, for_all, make<StrictCoscheduling>},
};
// clang-format on

} // namespace

std::span<Entry const> registry() { return table; }

Entry const* find(std::string_view name) {
  auto const found = std::ranges::find(table, name, &Entry::name);
  return found == table.end() ? nullptr : &*found;
}

std::variant<Choice, InvalidChoice> choose(std::string_view name, std::span<std::string const> settings,
                                           Tunables const& usual) {
  Entry const* const entry = find(name);
  if (entry == nullptr)
    return InvalidChoice{"there is no policy \"" + std::string(name) + "\"; there are: " + names(table)};
  Choice choice{entry, usual};
  for (std::string const& setting : settings) {
    auto const equals = std::min(setting.find('='), setting.size());
    std::string const what = setting.substr(0, equals);
    auto const found = std::ranges::find(entry->tunables, what, &Tunable::name);
    if (found == entry->tunables.end())
      return InvalidChoice{"policy " + std::string(name) + " has no \"" + what +
                           "\" to be set; it has: " + names(entry->tunables)};
    std::string_view const value = std::string_view(setting).substr(std::min(equals + 1, setting.size()));
    if (!found->set(choice.tunables, value)) {
      std::string const word = found->automatic.empty() ? "" : " or " + std::string(found->automatic);
      return InvalidChoice{setting + ": a value from " + found->range() + word + " is wanted, as in " + what +
                           "=" + found->value(usual)};
    }
  }
  return choice;
}

} // namespace pegasus::policies
