// SPDX-License-Identifier: Apache-2.0
// Sequences of Views for the conformance suite, from a seed: domains come and go, credits change, clocks
// leap, totals decrease and values are absurd. They are the same on every machine: they are computed from the
// random engine only, and the standard fixes its numbers.
#pragma once

#include "policies/testing/view_changes.h"
#include "policies/view.h"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace pegasus::conformance {

using policies::DomainId;
using policies::DomainView;
using policies::Nanos;
using policies::Time;
using policies::View;

class RandomViews {
public:
  explicit RandomViews(std::uint64_t seed)
      : engine_(seed), max_domains_(1 + below(64)),
        switch_cost_(static_cast<std::int64_t>(one_in(20) ? engine_() : below(4) * 500'000)) {}

  // The next View. It is valid until the next call.
  View next() {
    advance_clock();
    come_and_go();
    for (auto& [id, domain] : domains_)
      change(domain);
    current_.clear();
    for (auto const& [id, domain] : domains_)
      current_.push_back(domain);
    auto const changed = changes_.take(current_);
    bool const told = one_in(2); // whether the View says what changed; it may leave that out
    return {now_, run_since(), current_, told ? changed : std::nullopt, switch_cost_};
  }

private:
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  Time run_since() {
    return one_in(3) ? now_ : Time{Nanos{static_cast<std::int64_t>(one_in(20) ? engine_() : 0)}};
  }

  void advance_clock() {
    if (one_in(5)) return; // asked twice at the same time
    if (one_in(500))
      now_ += std::chrono::hours(below(1000)); // the machine was suspended
    else
      now_ += Nanos{static_cast<std::int64_t>(below(one_in(3) ? 100'000'000 : 2'000'000))};
  }

  void come_and_go() {
    if (one_in(300)) domains_.clear();
    if (one_in(20) && domains_.size() < max_domains_) {
      auto const id = static_cast<std::uint32_t>(one_in(50) ? engine_() : below(100));
      domains_[id] = DomainView{};
      domains_[id].id = id;
      domains_[id].tasks = 1;
    }
    if (one_in(40) && !domains_.empty()) {
      auto leaving = domains_.begin();
      std::advance(leaving, static_cast<std::ptrdiff_t>(below(domains_.size())));
      domains_.erase(leaving);
    }
  }

  void change(DomainView& domain) {
    if (one_in(30)) domain.credits = credits();
    if (one_in(30)) domain.cpu.weight = credits();
    if (one_in(10)) domain.cpu.credit_left = Nanos{static_cast<std::int64_t>(engine_())};
    if (one_in(4)) domain.cpu.running = one_in(2);
    if (one_in(4))
      domain.cpu.blocked_since =
          one_in(2) ? std::nullopt
                    : std::optional(Time{Nanos{static_cast<std::int64_t>(below(1'000'000'000))}});
    if (one_in(10)) domain.tasks = static_cast<std::uint32_t>(1 + below(8));
    if (one_in(6)) domain.calls_waiting = static_cast<std::uint32_t>(one_in(2) ? 0 : below(9));
    if (one_in(6)) domain.on_device = static_cast<std::uint32_t>(below(3));
    if (one_in(50)) domain.context_established = one_in(2);
    if (one_in(6))
      domain.calls_since = one_in(2)
                               ? std::nullopt
                               : std::optional(Time{Nanos{static_cast<std::int64_t>(below(1'000'000'000))}});
    if (one_in(20)) {
      domain.barred = one_in(2);
      domain.capped = domain.barred && one_in(2);
    }
    if (one_in(4)) domain.sync_calls_total = one_in(20) ? engine_() : domain.sync_calls_total + below(10);
    if (one_in(10)) domain.sync_call_rate = one_in(20) ? 1e300 : static_cast<double>(below(100'000));
    if (one_in(50)) domain.slo = static_cast<double>(below(200)) / 100;
    if (one_in(30)) domain.latency_slice = latency_slice();
    if (one_in(20)) domain.memory_bytes = engine_();
    if (one_in(3)) use(domain);
  }

  std::uint32_t credits() {
    switch (below(4)) {
    case 0:
      return one_in(2) ? 0 : 65535;
    case 1:
      return static_cast<std::uint32_t>(engine_());
    default:
      return static_cast<std::uint32_t>(1 + below(1024));
    }
  }

  Nanos latency_slice() {
    if (one_in(10)) return Nanos{static_cast<std::int64_t>(engine_())};
    return one_in(2) ? Nanos{0} : Nanos{static_cast<std::int64_t>(below(100'000'000))};
  }

  void use(DomainView& domain) {
    if (one_in(200))
      domain.device_busy_total =
          Nanos{static_cast<std::int64_t>(engine_())}; // huge or negative: the worker lies
    else if (one_in(100))
      domain.device_busy_total = Nanos{0}; // the worker was restarted
    else if (domain.device_busy_total < Nanos::max() / 2)
      domain.device_busy_total += Nanos{static_cast<std::int64_t>(below(20'000'000))};
  }

  std::mt19937_64 engine_;
  std::uint64_t max_domains_;
  Nanos switch_cost_;
  Time now_{};
  std::map<DomainId, DomainView> domains_;
  std::vector<DomainView> current_;
  policies::testing::ViewChanges changes_;
};

} // namespace pegasus::conformance
