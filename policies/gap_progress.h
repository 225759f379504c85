// SPDX-License-Identifier: Apache-2.0
// How much of a domain's gaps, in which its program computes, is progress of the program (anticipation.h).
//
// While others use the device a gap can take longer, because their programs, or the device itself, want the same
// CPUs. All such gaps together count for not much more than the mean of those in which nobody else used the
// device. That mean is learnt from the gaps for which the domain was waited for, or had the device to itself. Those that
// outlast the wait are counted as watched for so long and not ended, as in a life test that stops early
// (Epstein, Sobel, "Life testing", 1953): the mean of the gaps that end would be too short.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pegasus::policies {

class GapProgress {
public:
  // A gap begins, for which the domain keeps the device for `held`. `others`: the device time of all others so far.
  void begin(Nanos held, Nanos others) {
    begun_ = true;
    held_ = held;
    others_before_ = others;
    undisturbed_ = Nanos{0};
    if (ended_ > 0) credit_ = std::min(credit_ + spread * mean(), most_gaps * mean());
  }

  // What of the gap's next `part` is progress.
  [[nodiscard]] Nanos count(Nanos part, Nanos others) {
    bool const disturbed = others != others_before_;
    if (!disturbed) undisturbed_ += part;
    Nanos const counted = disturbed && ended_ > 0 ? std::min(part, std::chrono::floor<Nanos>(credit_)) : part;
    credit_ = std::max(credit_ - counted, Length{0});
    return counted;
  }

  // It has ended after `length`. Returns whether something was learnt.
  bool end(Nanos length, Nanos others) {
    bool const ended = others == others_before_;
    Nanos const watched = ended ? length : std::min(undisturbed_, held_);
    if (!std::exchange(begun_, false) || watched == Nanos{0}) return false;
    watched_ += watched - watched_ / recent_gaps;
    ended_ += (ended ? 1 : 0) - ended_ / recent_gaps;
    return true;
  }

  void visit(StateVisitor& state) {
    state.field("begun", begun_);
    state.duration("held", held_);
    state.duration("others_before", others_before_);
    state.duration("undisturbed", undisturbed_);
    visit(state, "watched", watched_);
    state.field("ended", ended_);
    visit(state, "credit", credit_);
    state.require(ended_ >= 0 && (ended_ == 0 || mean() <= StateVisitor::longest), "ended");
  }

private:
  using Length = std::chrono::duration<double, Nanos::period>;

  static constexpr double spread = 1.25; // so that what is learnt late, or a little too short, costs no lag
  static constexpr double most_gaps = 8; // that may be longer than the mean in a row
  static constexpr double recent_gaps = 16;

  [[nodiscard]] Length mean() const { return watched_ / ended_; }
  static void visit(StateVisitor& state, std::string_view name, Length& length) {
    double count = length.count();
    state.field(name, count);
    length = Length{count};
    state.require(length >= Length{0} && length <= StateVisitor::longest, name);
  }

  bool begun_ = false;
  Nanos held_{0}, others_before_{0}, undisturbed_{0}; // of this gap
  Length watched_{0};                                 // gaps in which nobody else used the device
  double ended_ = 0;                                  // ... and how many of them ended
  Length credit_{0};
};

} // namespace pegasus::policies
