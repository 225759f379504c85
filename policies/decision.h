// SPDX-License-Identifier: Apache-2.0
// What a policy answers: which domains may use the accelerator, until when, which vCPUs to wake, and when to
// ask the policy again.
#pragma once

#include "policies/view.h"

#include <optional>
#include <vector>

namespace pegasus::policies {

// Why the policy ended or kept the previous time slice; shown in the scheduler's log.
enum class Reason : std::uint8_t {
  unchanged,   // the time slice continues
  slice_end,   // its time was used up
  yield,       // the domain had nothing to run
  departure,   // the domain left
  arrival,     // a domain with work came to an idle accelerator, or a better one appeared
  idle,        // no domain has work
  drain,       // the device was to be drained
  sample,      // the domain ran alone, to be measured
  share,       // several domains ran together
  reservation, // a domain was behind its SLO; not a policy's (domA/scheduler/reservations.h)
};

// How long the work of the domains in `run` may take, as far as it can be divided into pieces: a call of another
// domain is expected (look_ahead.h). What begins before `from` ends by from + longest.
struct PieceLimit {
  Time from{};
  Nanos longest{0};

  bool operator==(PieceLimit const&) const = default;
};

struct Decision {
  std::vector<DomainId> run;  // gates to open, ordered by id; empty: idle; several: shared
  Time until{};               // the time slice ends at this time at the latest
  Time ask_again{};           // the policy wants to be asked at this time even if nothing happens
  std::vector<DomainId> wake; // domains of `run` whose vCPU is woken when their gate opens
  Reason reason = Reason::unchanged;
  // `run` has one domain, whose tasks run one after the other; always so if the policy
  // is exclusive (registry.h)
  bool exclusive = false;
  std::optional<PieceLimit> pieces = std::nullopt; // nullopt: as long as it likes

  bool operator==(Decision const&) const = default;
};

} // namespace pegasus::policies
