// SPDX-License-Identifier: Apache-2.0
#include "domA/device/shared/engine_admission.h"

#include "base/futex.h"
#include "domA/device/shared/engine_order.h"

#include <algorithm>

namespace pegasus::shared {
namespace {

// Saturating: the terms are what workers wrote.
void add(EngineAdmission::Switches& sum, EnginePlace const& place) {
  constexpr auto max_ns = static_cast<std::uint64_t>(Nanos::max().count());
  if (__builtin_add_overflow(sum.count, place.switches.load(), &sum.count)) sum.count = ~std::uint64_t{0};
  Nanos const time(static_cast<std::int64_t>(std::min(place.switching_ns.load(), max_ns)));
  sum.time = time > Nanos::max() - sum.time ? Nanos::max() : sum.time + time;
}

} // namespace

void EngineAdmission::admit(std::uint32_t slot) {
  access_.known.add(slot);
  access_.admitted.add(slot);
}

void EngineAdmission::dismiss(std::uint32_t slot) { access_.admitted.remove(slot); }

void EngineAdmission::leave(std::uint32_t slot) {
  access_.admitted.remove(slot);
  access_.known.remove(slot);
  EnginePlace& place = pages_[slot].place;
  add(of_the_dead_, place);
  for (auto* const word : {&place.ticket, &place.released_ns, &place.switches, &place.switching_ns})
    word->store(0);
  place.sleeps.store(0);
  place.left.fetch_add(1);
  base::futex_wake(place.left);
}

std::optional<std::uint32_t> EngineAdmission::first() const {
  InLine first{};
  for_each_slot(access_.admitted, [&](std::uint32_t slot) {
    InLine const other{pages_[slot].place.ticket.load(), slot};
    if (first.ticket == 0 || comes_before(other, first)) first = other;
  });
  return first.ticket == 0 ? std::nullopt : std::optional(first.slot);
}

EngineAdmission::Switches EngineAdmission::switches() const {
  Switches sum = of_the_dead_;
  for_each_slot(access_.known, [&](std::uint32_t slot) { add(sum, pages_[slot].place); });
  return sum;
}

} // namespace pegasus::shared
