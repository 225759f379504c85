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
#include "policies/pegasus_augc.h"
#include "policies/pegasus_cosched.h"
#include "policies/pegasus_xc.h"
#include "policies/rr.h"
#include "policies/slaf.h"
#include "policies/strict_co.h"
#include "policies/timeslice_disengaged.h"
#include "policies/timeslice_engaged.h"
#include "policies/xc.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::policies {

namespace {

// The usual value; of a time that is usually 0, which turns something off, another one.
std::string example_of(Tunable const& tunable, Tunables const& usual) {
  auto const* const time = std::get_if<Nanos Tunables::*>(&tunable.field);
  Tunables example = usual;
  if (time != nullptr && (example.*(*time)).count() == 0) example.*(*time) = std::chrono::milliseconds(2);
  return tunable.value(example);
}

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
constexpr std::array for_eevdf{tunable::tick,         tunable::host_weight, tunable::usual_slice,
                               tunable::longest_wait, tunable::hold,        tunable::look_ahead};
constexpr std::array for_cosched{tunable::tick, tunable::host_weight, tunable::longest_wait, tunable::hold,
                                 tunable::patience};
constexpr std::array for_dfq{tunable::tick, tunable::host_weight, tunable::free_run};

// clang-format off
constexpr std::array built_in{
    Entry{.name = "none", .source = "Pegasus 4.1",
          .summary = "no scheduling: every domain submits, the device arbitrates",
          .work_conserving = true, .wait_ticks = 0,
          .make = make<None>},
    Entry{.name = "rr", .source = "Pegasus 4.3",
          .summary = "round robin: equal device time, whatever the credits",
          .work_conserving = true, .exclusive = true, .accounts = true, .wait_ticks = 4,
          .divides_by = equal_credits, .tunables = for_rounds, .make = make<RoundRobin>},
    Entry{.name = "accc", .source = "Pegasus 4.1, Algorithm 1",
          .summary = "AccCredit: device time in proportion to accelerator credits",
          .work_conserving = true, .exclusive = true, .accounts = true, .wait_ticks = 4,
          .tunables = for_rounds, .make = make<AccCredit>},
    Entry{.name = "xc", .source = "Pegasus 4.3",
          .summary = "XenoCredit: device time in proportion to the domains' CPU weights",
          .work_conserving = true, .exclusive = true, .accounts = true, .reads_schedule = true,
          .wait_ticks = 4,
          .divides_by = cpu_weight, .tunables = for_rounds, .make = make<XenoCredit>},
    Entry{.name = "slaf", .source = "Pegasus 4.3",
          .summary = "SLA feedback: accc, and extra ticks for domains that receive less than their SLO",
          .work_conserving = true, .exclusive = true, .accounts = true, .keeps_slos = true, .wait_ticks = 4,
          .tunables = for_rounds, .make = make<SlaFeedback>},
    Entry{.name = "augc", .source = "Pegasus 4.3, Algorithm 2",
          .summary = "augmented credit: accc's shares, domains that are on a CPU first",
          .work_conserving = true, .exclusive = true, .accounts = true, .reads_schedule = true,
          .wait_ticks = 8,
          .tunables = for_rounds, .make = make<AugmentedCredit>},
    Entry{.name = "cosched", .source = "Pegasus 4.2, Algorithm 2",
          .summary = "strict coscheduling: the hypervisor leads, shares may suffer",
          .work_conserving = true, .exclusive = true, .accounts = true, .reads_schedule = true,
          .wait_ticks = 19,
          .tunables = for_cosched, .make = make<Cosched>},
    Entry{.name = "fair", .source = "FairGV 3.2",
          .summary = "start-time fair queuing by credits; wakes the vCPUs of interactive domains",
          .work_conserving = true, .exclusive = true, .accounts = true, .wait_ticks = 3,
          .tunables = for_fair, .make = make<FairQueuing>},
    Entry{.name = "eevdf", .source = "Stoica, Abdel-Wahab 1995",
          .summary = "earliest eligible deadline: shares by credits, waits by latency slices",
          .work_conserving = true, .exclusive = true, .accounts = true, .wait_ticks = 3,
          .tunables = for_eevdf, .make = make<EarliestDeadline>},
    Entry{.name = "lead", .source = "ours",
          .summary = "shares by credits; changes the device's owner only where that pays, and wakes its vCPU",
          .accounts = true, .reads_schedule = true, .wait_ticks = 3,
          .tunables = for_all, .make = make<Lead>},
    Entry{.name = "dfq", .source = "Fleig 2.4.6, 3.3.4 (NEON)",
          .summary = "disengaged fair queuing: all together, those far ahead blocked; samples",
          .accounts = true, .wait_ticks = 4,
          .tunables = for_dfq, .make = make<DisengagedFairQueuing>},
    Entry{.name = "timeslice-engaged", .source = "Fleig 2.4.6 (NEON)",
          .summary = "baseline: equal time slices, calls or not, and no call before the last has ended",
          .exclusive = true, .engaged = true, .wait_ticks = 8,
          .divides_by = equal_credits, .tunables = for_all, .make = make<TimesliceEngaged>},
    Entry{.name = "timeslice-disengaged", .source = "Fleig 2.4.6 (NEON)",
          .summary = "baseline: equal time slices, calls or not",
          .exclusive = true, .wait_ticks = 8,
          .divides_by = equal_credits, .tunables = for_all, .make = make<TimesliceDisengaged>},
    Entry{.name = "credit-poll", .source = "FairGV 5.3",
          .summary = "baseline: Xen's credit scheduler by time slices, also of domains without calls",
          .exclusive = true, .guests_poll = true, .wait_ticks = 8,
          .tunables = for_all, .make = make<CreditPoll>},
    Entry{.name = "credit-hs", .source = "FairGV 5.3",
          .summary = "baseline: Xen's credit scheduler by time slices, left by domains without calls",
          .work_conserving = true, .exclusive = true, .wait_ticks = 8,
          .tunables = for_all, .make = make<CreditHybridSpin>},
    Entry{.name = "strict-co", .source = "FairGV 5.3, Algorithms 1, 2",
          .summary = "baseline: credit-hs, and a domain that comes onto a CPU interrupts",
          .work_conserving = true, .exclusive = true, .reads_schedule = true, .guests_poll = true,
          .wait_ticks = 8,
          .tunables = for_all, .make = make<StrictCoscheduling>},
    Entry{.name = "pegasus-xc", .source = "Pegasus 4.1, 4.3, 5",
          .summary = "baseline: ticks of polling by CPU weights, calls or not",
          .exclusive = true, .reads_schedule = true, .wait_ticks = 4,
          .divides_by = cpu_weight, .tunables = for_all, .make = make<PegasusXenoCredit>},
    Entry{.name = "pegasus-augc", .source = "Pegasus 4.3, 5",
          .summary = "baseline: the same by credits, a tick at a time, the highest X + CPU credit",
          .exclusive = true, .reads_schedule = true, .wait_ticks = 19,
          .tunables = for_all, .make = make<PegasusAugmentedCredit>},
    Entry{.name = "pegasus-cosched", .source = "Pegasus 4.2, 5",
          .summary = "baseline: a tick of polling each for those on a CPU, highest credits first",
          .exclusive = true, .reads_schedule = true, .wait_ticks = 19,
          .tunables = for_all, .make = make<PegasusCoscheduling>},
};
// clang-format on

// The built-in policies, and behind them those that were added: what `find` returns stays where it is.
struct Table {
  std::array<Entry, built_in.size() + most_added> entries{};
  std::size_t size = built_in.size();

  Table() { std::ranges::copy(built_in, entries.begin()); }
};

Table& table() {
  static Table all;
  return all;
}

} // namespace

std::span<Entry const> registry() { return std::span(table().entries).first(table().size); }

Entry const* find(std::string_view name) {
  auto const all = registry();
  auto const found = std::ranges::find(all, name, &Entry::name);
  return found == all.end() ? nullptr : &*found;
}

std::variant<Entry const*, InvalidEntry> add(Entry const& entry) {
  auto const invalid = [&](std::string const& why) {
    return InvalidEntry{"the policy \"" + std::string(entry.name) + "\" cannot be added: " + why};
  };
  bool const plain = std::ranges::all_of(
      entry.name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  if (entry.name.empty() || !plain) return invalid("a name has lower-case letters, digits and dashes");
  if (find(entry.name) != nullptr)
    return invalid("there is one of that name; there are: " + names(registry()));
  if (entry.make == nullptr) return invalid("its `make` is not set, so nothing makes it");
  if (table().size == table().entries.size())
    return invalid("there are " + std::to_string(most_added) + " already, and there is room for no more");
  return &(table().entries[table().size++] = entry);
}

std::variant<Choice, InvalidChoice> choose(std::string_view text, std::span<std::string const> settings,
                                           Tunables const& usual) {
  auto const colon = std::min(text.find(':'), text.size());
  std::string_view const name = text.substr(0, colon);
  std::vector<std::string> all;
  for (std::string_view rest = text.substr(std::min(colon + 1, text.size())); !rest.empty();) {
    auto const comma = std::min(rest.find(','), rest.size());
    all.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  all.insert(all.end(), settings.begin(), settings.end());

  Entry const* const entry = find(name);
  if (entry == nullptr)
    return InvalidChoice{"there is no policy \"" + std::string(name) + "\"; there are: " + names(registry())};
  Choice choice{entry, usual};
  for (std::string const& setting : all) {
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
                           "=" + example_of(*found, usual)};
    }
  }
  return choice;
}

} // namespace pegasus::policies
