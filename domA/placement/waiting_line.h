// SPDX-License-Identifier: Apache-2.0
// The domains that wait until their promises can be kept (reservation.h), in the order of arrival. A
// domain keeps its place by asking: one that has not asked for a few seconds has ended, or was
// stopped, and comes last when it asks again. A domain has one place, however many of its programs
// ask. Pure: it is told the time.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace pegasus::placement {

class WaitingLine {
public:
  using DomainId = policies::DomainId;
  using Time = policies::Time;
  // Programs ask once a second, slightly later on a busy machine.
  static constexpr std::chrono::seconds max_silence{5};

  struct Place {
    DomainId domain;
    Time since; // when it first asked
    Time asked; // when it last asked
  };

  void ask(DomainId domain, Time now) {
    if (auto const found = place_of(domain); found != places_.end())
      found->asked = now;
    else
      places_.push_back({domain, now, now});
  }
  // The domain no longer waits. Returns false if it did not wait.
  bool remove(DomainId domain) {
    return std::erase_if(places_, [domain](Place const& each) { return each.domain == domain; }) > 0;
  }
  // Removes the domains that have not asked for too long. Returns false if there were none.
  bool drop_silent(Time now) {
    return std::erase_if(places_, [now](Place const& each) { return now - each.asked > max_silence; }) > 0;
  }

  // The first domain is in front.
  [[nodiscard]] std::vector<Place> const& places() const { return places_; }
  // How many domains wait before it; all of them if it has no place yet.
  [[nodiscard]] std::size_t before(DomainId domain) const {
    auto const found = std::ranges::find(places_, domain, &Place::domain);
    return static_cast<std::size_t>(found - places_.begin());
  }
  // Since when it waits; nullopt if it does not.
  [[nodiscard]] std::optional<Time> since(DomainId domain) const {
    auto const found = std::ranges::find(places_, domain, &Place::domain);
    return found == places_.end() ? std::nullopt : std::optional(found->since);
  }

private:
  [[nodiscard]] std::vector<Place>::iterator place_of(DomainId domain) {
    return std::ranges::find(places_, domain, &Place::domain);
  }

  std::vector<Place> places_;
};

} // namespace pegasus::placement
