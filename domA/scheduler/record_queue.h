// SPDX-License-Identifier: Apache-2.0
// Orders of records, which are not copied: by id, or by a key that some records have, as a time. A record tells its key
// by itself, so the caller names the key under which it was entered. A record must be taken out before it ends.
#pragma once

#include "policies/view.h"

#include <set>
#include <utility>

namespace pegasus::scheduler {

using policies::Time;

struct ById {
  template <class Record> bool operator()(Record const* a, Record const* b) const { return a->id < b->id; }
};

// The least key first, and of equal keys the least id.
template <class Record, class Key = Time> class RecordQueue {
public:
  void insert(Key key, Record& record) { places_.insert({key, &record}); }
  void erase(Key key, Record const& record) { // if it is there
    auto const place = places_.find(std::pair<Key, Record const*>(key, &record));
    if (place != places_.end()) places_.erase(place);
  }

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] Key first_key() const { return empty() ? Key::max() : places_.begin()->first; }
  [[nodiscard]] Record& first() const { return *places_.begin()->second; } // if not empty
  // The first key greater than this one; Key::max() if there is none.
  [[nodiscard]] Key first_after(Key key) const {
    auto const next = places_.upper_bound(key);
    return next == places_.end() ? Key::max() : next->first;
  }
  [[nodiscard]] auto begin() const { return places_.begin(); } // of pairs: a key, and a Record*
  [[nodiscard]] auto end() const { return places_.end(); }

private:
  using Place = std::pair<Key, Record*>;
  struct Earlier {
    using is_transparent = void;
    bool operator()(auto const& a, auto const& b) const {
      return a.first != b.first ? a.first < b.first : a.second->id < b.second->id;
    }
    bool operator()(Key key, Place const& place) const { return key < place.first; }
    bool operator()(Place const& place, Key key) const { return place.first < key; }
  };

  std::set<Place, Earlier> places_;
};

} // namespace pegasus::scheduler
