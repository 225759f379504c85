// SPDX-License-Identifier: Apache-2.0
// Work on the device for the parts that stop it or give it less: submitted, watched, ended.
#pragma once

#include "bench/gpu/facts/session.h"

#include <functional>
#include <optional>
#include <string>

namespace pegasus::facts {

constexpr double patience_s = 4; // with work that was told to end

void sleep_ms(int ms);

// Tells what the driver's library has made. Throws NotHere if it made no channel groups.
void check_groups();

// Work that is on the device, and counts what it has done in `mapped`.
struct Work {
  Session& session;
  Mapped const& mapped;
};

void start_endless(Work const& work);
// Almost two seconds of kernels, each of which counts. Few enough for the driver's queue.
void start_graph(Work const& work);

// What the work does while `other` takes its time, in each 100 ms of that.
void watch(Work const& work, std::string const& when, std::function<void()> const& other);
// Microseconds until the count grows again; nullopt: not within a second.
[[nodiscard]] std::optional<double> until_it_goes_on(Mapped const& mapped);

void end(Work const& work);

} // namespace pegasus::facts
