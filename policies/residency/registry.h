// SPDX-License-Identifier: Apache-2.0
// The only table of residency policies: which domains' memory stays in an accelerator while others run.
#pragma once

#include "policies/residency/problem.h"

#include <span>
#include <string_view>

namespace pegasus::residency {

struct Entry {
  std::string_view name = {};    // lower-case letters and dashes
  std::string_view source = {};  // paper and section
  std::string_view summary = {}; // one line
  bool shares = false;           // several domains may have a slot; if not, some may be refused
  bool reclaims_idle = false;    // the memory of domains that are idle for Tunables::idle_after leaves
  // Domains that stay and hold as much as before are not moved again sooner than that; nullptr: never.
  policies::Nanos Tunables::*pause = nullptr;
  Answer (*place)(Problem const&, Tunables const&) = nullptr;
};

[[nodiscard]] std::span<Entry const> registry();
[[nodiscard]] Entry const* find(std::string_view name); // nullptr if unknown

} // namespace pegasus::residency
