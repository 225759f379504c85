// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"

#include "policies/accc.h"
#include "policies/augc.h"
#include "policies/cosched.h"
#include "policies/fair.h"
#include "policies/none.h"
#include "policies/rr.h"
#include "policies/slaf.h"
#include "policies/xc.h"

#include <algorithm>
#include <array>

namespace pegasus::policies {

namespace {

template <class P> std::unique_ptr<Policy> make(Tunables const& tunables) {
  return std::make_unique<P>(tunables);
}

constexpr bool conserving = true; // work conserving
constexpr bool exclusive = true;
constexpr bool reads_schedule = true;

// clang-format off
constexpr std::array table{
    Entry{"none", "Pegasus 4.1", "no scheduling: every domain submits, the device arbitrates",
          conserving, !exclusive, !reads_schedule, 0, make<None>},
    Entry{"rr", "Pegasus 4.3", "round robin: equal device time, whatever the credits",
          conserving, exclusive, !reads_schedule, 4, make<RoundRobin>},
    Entry{"accc", "Pegasus 4.1, Algorithm 1", "AccCredit: device time in proportion to accelerator credits",
          conserving, exclusive, !reads_schedule, 4, make<AccCredit>},
    Entry{"xc", "Pegasus 4.3", "XenoCredit: device time in proportion to the domains' CPU weights",
          conserving, exclusive, reads_schedule, 4, make<XenoCredit>},
    Entry{"slaf", "Pegasus 4.3", "SLA feedback: accc, and extra ticks for who receives less than its SLO",
          conserving, exclusive, !reads_schedule, 4, make<SlaFeedback>},
    Entry{"augc", "Pegasus 4.3, Algorithm 2", "augmented credit: accc's shares, domains that are on a CPU first",
          conserving, exclusive, reads_schedule, 3, make<AugmentedCredit>},
    Entry{"cosched", "Pegasus 4.2, Algorithm 2", "strict coscheduling: the hypervisor leads, shares may suffer",
          conserving, exclusive, reads_schedule, 19, make<Cosched>},
    Entry{"fair", "FairGV 3.2", "start-time fair queuing by credits; wakes the vCPUs of interactive domains",
          conserving, exclusive, !reads_schedule, 3, make<FairQueuing>},
};
// clang-format on

} // namespace

std::span<const Entry> registry() { return table; }

Entry const* find(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Entry::name);
  return found == table.end() ? nullptr : &*found;
}

} // namespace pegasus::policies
