// SPDX-License-Identifier: Apache-2.0
// When domains with a latency target are expected to call next, and how long the other domains' work may take
// until then: look-ahead. Ours; figures are in docs/evaluation/latency.md.
//
// A kernel cannot be stopped on most devices, only divided into pieces (FairGV 3.3.2), and each piece costs a launch.
// Pieces that are always short cost all the time what is gained at the moment in which another domain calls.
//
// Rule
//   1. A request of a domain begins with a call after a pause that is longer than its target. The time between
//      requests and its deviation are averaged as TCP averages round trips (Jacobson, "Congestion avoidance and
//      control", SIGCOMM 1988): by an eighth and a quarter.
//   2. The next request is expected from four deviations before the mean time on. From then until the domain has
//      been served, the pieces of others take no longer than its target; before, they end by that time and the
//      target.
//   3. A domain of which fewer than two requests were seen is expected at once. When eight times the mean has passed
//      since its last request (a second, if that is not known), it is not expected until the next one: it sleeps,
//      or calls without a pause. Such a time does not count in the mean, unless the next one is as long.
//   4. If several domains are expected, the earliest time and the shortest target hold.
// If requests come at random times, as of a Poisson process, rule 2 expects them always: nobody can know more.
#pragma once

#include "policies/decision.h"
#include "policies/state_visitor.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace pegasus::policies {

class LookAhead {
public:
  // At each decision. Positions are those of this View from now on.
  void update(View const& view);
  // How long the pieces of the domain at this position may take; nullopt: no other domain is expected.
  [[nodiscard]] std::optional<PieceLimit> limit(std::uint32_t running) const;

  void visit(StateVisitor& state);

private:
  struct Account {
    DomainId id = 0;
    Nanos target{0}; // 0: none
    bool calls = false;
    Nanos seen_total{0};
    Time quiet_since{};
    Time requested{};      // the last time
    unsigned requests = 0; // seen, to two
    bool paused = false;   // before the last one
    Nanos interval{0}, deviation{0};
    Time from{}; // it is expected, if it is in the lines
    Time end{};
    bool expected = false; // it is in the lines

    void visit(StateVisitor& state);
  };
  using Times = std::set<std::pair<Time, std::uint32_t>>;

  void look_at(std::uint32_t position, DomainView const& domain, Time now);
  static void request(Account& account, Time now);
  static void expect(Account& account);
  void join(std::uint32_t position);
  void leave(std::uint32_t position);

  std::vector<Account> accounts_; // in the order of View::domains
  // Of the domains that are expected, each with its position: from when, until when, their targets.
  Times from_, ends_;
  std::set<std::pair<Nanos, std::uint32_t>> targets_;
};

} // namespace pegasus::policies
