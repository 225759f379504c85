// SPDX-License-Identifier: Apache-2.0
// Domains that may have at most a part of the device's time, also while it is idle: a token bucket for each. It
// fills at the rate of the cap, up to a tenth of a second's part, and the domain's device time is taken out. While it
// is empty the domain's calls are hidden. What a kernel takes beyond it is missing at the next refill, so that the
// part holds whatever the lengths of the kernels.
#pragma once

#include "domA/scheduler/record_queue.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <cstddef>
#include <optional>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::Time;

struct DomainRecord; // records.h
class Records;

class Caps {
public:
  // Of a domain that has a cap.
  struct Bucket {
    double part = 1;
    Nanos level{0};
    Time filled_at{};
    std::optional<Nanos> seen{};
    std::optional<Time> end{}; // it is empty until then

    void visit(policies::StateVisitor& state);
  };

  // `part`: of the device's time; 0, or 1 and more: all of it. A change leaves what is in the bucket.
  void set(DomainRecord& domain, double part, Time now);
  void forget(DomainRecord& domain);

  // The domain has used the device for `total` so far. A total that decreases begins anew.
  void used(DomainRecord& domain, Nanos total, Time now);
  // Whether it has used up its part; until take_ended() returns it.
  [[nodiscard]] static bool spent(DomainRecord const& domain);
  [[nodiscard]] bool any_spent() const { return !ends_.empty(); }
  [[nodiscard]] bool any() const { return capped_ > 0; } // domain has a cap
  // How long it may still use the device without a pause from now on; nullopt: it has no cap.
  [[nodiscard]] static std::optional<Nanos> left(DomainRecord const& domain, Time now);

  // A domain whose calls are seen again by now; nullptr if there is none.
  [[nodiscard]] DomainRecord* take_ended(Time now);
  [[nodiscard]] Time next_end() const { return ends_.first_key(); }

  void restore(Records& records); // that have been visited

private:
  static void fill(Bucket& bucket, Time now, Nanos used = Nanos{0});
  void set_end(DomainRecord& domain, std::optional<Time> end);

  RecordQueue<DomainRecord> ends_;
  std::size_t capped_ = 0; // domains
};

} // namespace pegasus::scheduler
