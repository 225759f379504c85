// SPDX-License-Identifier: Apache-2.0
// What a residency policy sees: the memory of one accelerator and the domains that hold some of it. All members are
// values; spans live as long as the View.
#pragma once

#include "policies/ids.h"
#include "policies/residency/plan.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::residency {

using policies::Nanos;
using policies::Time;

struct DomainView {
  DomainId id = 0;
  std::uint64_t bytes = 0;     // device memory it holds, resident or not
  std::uint64_t pinned = 0;    // ... of that, what cannot be copied out: code, contexts, heaps
  std::uint64_t reserved = 0;  // what it is promised to keep while others run
  double utilization = 0;      // its part of the device's time: 0 to 1, an average over 20 s (DymGPU III-A)
  double turns_per_second = 0; // how often it became the device's owner, likewise
  std::optional<Time> idle_since = std::nullopt; // nullopt: it has calls
  std::optional<Time> next_turn = std::nullopt;  // when it is expected to own the device; nullopt: not known
  Place place = {};                              // as the last Plan has it; empty: it has none yet
};

struct View {
  Time now{};
  // Plan::arranged_at of the last Plan; nullopt: there is none.
  std::optional<Time> arranged_at = std::nullopt;
  std::uint64_t capacity = 0; // bytes of the accelerator that domains may hold
  std::uint64_t granule = 0;  // bytes of a slot: 64 MB in DymGPU, 2 MiB on CUDA
  // Ordered by id.
  std::span<DomainView const> domains = {};
};

} // namespace pegasus::residency
