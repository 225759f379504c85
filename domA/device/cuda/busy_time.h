// SPDX-License-Identifier: Apache-2.0
// The time during which a device was busy: the union of the intervals in which its work ran. Streams overlap,
// and the end of a long kernel may be seen after the ends of short ones beside it.
#pragma once

#include "domA/device/cuda/kernel_time.h"

#include <algorithm>
#include <vector>

namespace pegasus::cuda {

class BusyTime {
public:
  // Adds work that ran in this interval. Work may be added in any order.
  void add(Nanos begin, Nanos end) {
    if (begin >= end) return;
    Stretch joined{begin, end, end - begin};
    auto const first = std::ranges::find_if(stretches_, [&](Stretch const& s) { return s.end >= begin; });
    auto last = first;
    for (; last != stretches_.end() && last->begin <= end; ++last) {
      Nanos const common = busy_within(*last, begin, end);
      total_ -= common;
      joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end),
                joined.busy + last->busy - common};
    }
    total_ += end - begin;
    stretches_.insert(stretches_.erase(first, last), joined);
    if (stretches_.size() > most) join_oldest();
  }
  // Adds work that ran at some time between `from` and `to`: in as much of this time as is not busy yet, the
  // earliest. Returns when it ended then; `to` if there was not enough.
  Nanos fill(Nanos from, Nanos to, Nanos work) {
    while (work > Nanos{0} && from < to) {
      auto const next = std::ranges::find_if(stretches_, [&](Stretch const& s) { return s.end > from; });
      if (next != stretches_.end() && next->begin <= from) {
        from = next->end;
        continue;
      }
      Nanos const gap = std::min(to, next == stretches_.end() ? to : next->begin) - from;
      Nanos const part = std::min(work, gap);
      add(from, from + part);
      from += part;
      work -= part;
    }
    return std::min(from, to);
  }
  [[nodiscard]] Nanos total() const { return total_; }

private:
  struct Stretch {
    Nanos begin, end;
    Nanos busy; // of this time; all of it, if it is not several that were joined
  };
  static constexpr std::size_t most = 32;

  // Of a part of a stretch with gaps it is not known how much was busy.
  [[nodiscard]] static Nanos busy_within(Stretch const& stretch, Nanos begin, Nanos end) {
    Nanos const common = std::max(std::min(stretch.end, end) - std::max(stretch.begin, begin), Nanos{0});
    Nanos const whole = stretch.end - stretch.begin;
    if (common == whole || stretch.busy == whole) return std::min(common, stretch.busy);
    double const part = static_cast<double>(common.count()) / static_cast<double>(whole.count());
    return Nanos(static_cast<std::int64_t>(part * static_cast<double>(stretch.busy.count())));
  }
  void join_oldest() {
    Stretch const oldest = stretches_.front();
    stretches_.erase(stretches_.begin());
    stretches_.front().begin = oldest.begin;
    stretches_.front().busy += oldest.busy;
  }

  std::vector<Stretch> stretches_; // disjoint, in order
  Nanos total_{0};
};

} // namespace pegasus::cuda
