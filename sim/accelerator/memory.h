// SPDX-License-Identifier: Apache-2.0
// The memory of a modelled accelerator: which domains' granules are resident, by a real residency policy
// (policies/residency), and what is copied when a domain becomes the device's owner.
#pragma once

#include "domA/gate/gate.h"
#include "policies/residency/arrange.h"
#include "policies/residency/holders.h"
#include "sim/clock.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace pegasus::sim {

using policies::DomainId;

class Memory {
public:
  struct Options {
    std::uint64_t capacity = 0;      // bytes; 0: it is not modelled, all is always resident
    std::uint64_t granule = 2 << 20; // bytes
    std::uint64_t bandwidth = 0;     // bytes a second, in and out together; 0: copies take no time
    residency::Entry const* policy = residency::find("static");

    bool operator==(Options const&) const = default;
  };
  struct Totals {
    std::uint64_t turns = 0; // a domain became the owner
    residency::Copies copies;
    std::uint64_t granule = 0; // bytes; 0: memory is not modelled

    [[nodiscard]] double bytes_in() const {
      return static_cast<double>(copies.in) * static_cast<double>(granule);
    }
    [[nodiscard]] double bytes_out() const {
      return static_cast<double>(copies.out) * static_cast<double>(granule);
    }
  };
  using DeviceTimes = std::function<std::map<DomainId, Nanos>()>; // of all domains, so far
  Memory(Clock& clock, Options const& options, DeviceTimes device_times);

  // The domain holds so much from now on. Returns false if that does not fit beside what others keep.
  [[nodiscard]] bool come(DomainId domain, std::uint64_t bytes);
  void leave(DomainId domain);
  // The domain becomes the device's owner, if it is not. Returns how long the copies take.
  Nanos take(DomainId domain);

  [[nodiscard]] Options const& options() const { return options_; }
  [[nodiscard]] Totals const& totals() const { return totals_; }

private:
  struct Sample {
    Time time;
    Nanos device;
    std::uint64_t turns;
  };
  struct Held {
    std::uint64_t bytes = 0;
    residency::Place place{};
    residency::Standing standing = residency::Standing::placed;
    std::optional<Time> idle_since{};
    std::uint64_t turns = 0;
    std::deque<Sample> samples{}; // of each second, as far back as utilization is averaged
  };

  void arrange();
  void observe();
  [[nodiscard]] residency::DomainView view_of(DomainId id, Held const& held) const;

  Clock& clock_;
  Options options_;
  DeviceTimes device_times_;
  std::map<DomainId, Held> domains_;
  residency::Holders holders_;
  std::optional<Time> arranged_at_;
  std::optional<DomainId> owner_;
  Totals totals_;
  Timer observe_;
};

} // namespace pegasus::sim
