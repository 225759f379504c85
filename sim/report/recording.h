// SPDX-License-Identifier: Apache-2.0
// What a report draws of each run: device time in intervals of the measurement, and pieces of what ran at
// its begin. Its size does not grow with the scenario's duration, nor with its accelerators beyond a limit.
// It has all domains: which of them the report shows depends on how they fare.
#pragma once

#include "sim/report/run_timeline.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pegasus::sim {

// What a report shows of a large scenario.
inline constexpr std::size_t recorded_accelerators = 8;
inline constexpr std::size_t recorded_pcpus = 16;
inline constexpr std::size_t recorded_intervals = 50;
inline constexpr std::size_t recorded_pieces = 2000;
inline constexpr Nanos recorded_window{std::chrono::milliseconds(100)};

// A vCPU on a pCPU, or a kernel or a part of it on an accelerator.
struct Piece {
  std::uint32_t row;    // pCPU or accelerator
  std::uint32_t domain; // position in the scenario; that after the last is Dom0's
  Nanos from, to;       // since the measurement began
};

struct RunRecord {
  // Device time in each interval of the measurement.
  using Intervals = std::array<Nanos, recorded_intervals>;
  std::vector<Intervals> device; // of each domain
  std::vector<Piece> cpu;
  std::vector<Piece> accelerator;
  Nanos window{0}; // what the pieces are of: from the beginning of the measurement to here
};

// Of `duration`, counted from 0, the beginning of interval `index`; of recorded_intervals, the end
// of the last.
[[nodiscard]] Nanos interval_begin(Nanos duration, std::size_t index);

class Recording final : public RunTimeline {
public:
  void begin(Scenario const& scenario, std::string const& policy) override;
  void vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) override;
  void kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from,
                  policies::Time to) override;
  void copied(std::size_t /*accelerator*/, std::size_t /*copy_engine*/, std::size_t /*domain*/,
              policies::Time /*from*/, policies::Time /*to*/) override {} // a report does not draw copies

  // One for each run, in their order.
  [[nodiscard]] std::vector<RunRecord> const& runs() const { return runs_; }

private:
  void add(std::vector<Piece>& to, std::size_t row, std::size_t domain, Nanos from, Nanos end);

  std::vector<RunRecord> runs_; // the last is the present one
  policies::Time began_{};      // its measurement
  Nanos duration_{0};           // of the measurement
};

} // namespace pegasus::sim
