// SPDX-License-Identifier: Apache-2.0
// Least attained service, as a plug-in: of the domains with calls, the one that has had the least device time
// runs, for a slice or until it has no calls. Newcomers overtake all others, so no bound on waiting is
// promised; credits are not looked at. ../README.md has the commands.
#include "policies/plugin.h"

#include <array>

namespace {
using namespace pegasus::policies;

class LeastAttainedService final : public Policy {
public:
  explicit LeastAttainedService(Tunables const& tunables)
      : slice_(tunables.slice > Nanos{0} ? tunables.slice : tunables.bounded_tick()) {}

  [[nodiscard]] Decision decide(View const& view) override {
    DomainView const* least = nullptr;
    DomainView const* current = nullptr;
    for (DomainView const& domain : view.domains) {
      if (domain.calls_waiting == 0) continue;
      if (domain.id == current_) current = &domain;
      if (least == nullptr || domain.device_busy_total < least->device_busy_total) least = &domain;
    }
    if (least == nullptr)
      return {.run = {}, .ask_again = view.now + slice_, .wake = {}, .reason = Reason::idle};
    bool const stays = current != nullptr && view.now < end_;
    if (!stays) {
      current_ = least->id;
      end_ = view.now + slice_;
    }
    return {.run = {current_},
            .until = end_,
            .ask_again = end_,
            .wake = {},
            .reason = stays ? Reason::unchanged : Reason::slice_end,
            .exclusive = true};
  }

private:
  Nanos slice_;
  DomainId current_ = 0;
  Time end_{};
};

std::unique_ptr<Policy> make(Tunables const& set) { return std::make_unique<LeastAttainedService>(set); }
constexpr std::array tunables{tunable::tick, tunable::slice};
constexpr Entry entry{
    .name = "las",
    .source = "example",
    .summary = "least attained service: the domain that has had the least device time runs",
    .work_conserving = true,
    .exclusive = true,
    .tunables = tunables,
    .make = make,
};

} // namespace

pegasus::policies::Entry const* pegasus_policy() { return &entry; }
