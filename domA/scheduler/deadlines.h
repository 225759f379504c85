// SPDX-License-Identifier: Apache-2.0
// Records in the order of a time that some of them have: the earliest first, and of equal times the least id. A record
// tells its time by itself, so the caller names the time under which it was entered.
#pragma once

#include "policies/view.h"

#include <set>
#include <utility>

namespace pegasus::scheduler {

using policies::Time;

// Record has a member `id`. It must be removed before it ends.
template <class Record> class Deadlines {
public:
  void insert(Time when, Record& record) { places_.insert({when, &record}); }
  void erase(Time when, Record const& record) { // if it is there
    auto const place = places_.find(std::pair<Time, Record const*>(when, &record));
    if (place != places_.end()) places_.erase(place);
  }

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] Time first_at() const { return empty() ? Time::max() : places_.begin()->first; }
  [[nodiscard]] Record& first() const { return *places_.begin()->second; } // if not empty
  // The first time later than `now`; Time::max() if there is none.
  [[nodiscard]] Time first_after(Time now) const {
    auto const next = places_.upper_bound(now);
    return next == places_.end() ? Time::max() : next->first;
  }
  [[nodiscard]] auto begin() const { return places_.begin(); } // of pairs: a time, and a Record*
  [[nodiscard]] auto end() const { return places_.end(); }

private:
  using Place = std::pair<Time, Record*>;
  struct Earlier {
    using is_transparent = void;
    bool operator()(auto const& a, auto const& b) const {
      return a.first != b.first ? a.first < b.first : a.second->id < b.second->id;
    }
    bool operator()(Time now, Place const& place) const { return now < place.first; }
    bool operator()(Place const& place, Time now) const { return place.first < now; }
  };

  std::set<Place, Earlier> places_;
};

} // namespace pegasus::scheduler
