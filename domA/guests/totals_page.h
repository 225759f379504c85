// SPDX-License-Identifier: Apache-2.0
// The pages that show a guest the totals of its tasks, from pegasusd's side, which only writes them: what a
// guest writes there affects nothing but itself. Source: frontend/protocol/totals.h.
#pragma once

#include "frontend/protocol/totals.h"

#include <cstdint>
#include <span>

namespace pegasus::guests {

// Before a TotalsPage is made of them: what does not change. `pages` is zeroed.
void initialize_totals(pegasus_totals& pages, std::uint32_t version);

class TotalsPage {
public:
  explicit TotalsPage(pegasus_totals& pages) : pages_(&pages) {}
  // Replaces what the pages show. `tasks`: by ascending task; those that find no entry are only counted.
  void write(std::span<pegasus_task_total const> tasks);

private:
  pegasus_totals* pages_;
  std::uint32_t sequence_ = 0;
  std::uint64_t updates_ = 0;
};

} // namespace pegasus::guests
