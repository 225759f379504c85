// SPDX-License-Identifier: Apache-2.0
// A group's share of the GPU beside other groups, as the driver sets it and as a process may set its own.
#include "bench/gpu/facts/channel_groups.h"
#include "bench/gpu/facts/neighbour.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/work.h"

#include <fmt/format.h>

namespace pegasus::facts {

using channel_groups::Outcome;

void time_slices() {
  Probe const neighbour;
  Session session;
  check_groups();
  auto const usual = channel_groups::time_slice_us();
  if (usual)
    fact("time slice of a channel group", static_cast<double>(*usual), "us");
  else
    note("the driver does not say what a channel group's time slice is");
  auto const level = channel_groups::interleave_level();
  if (level) fact("interleave level of a channel group", *level, "");
  Mapped const mapped(session);
  Work const work{session, mapped};
  start_endless(work);
  sleep_ms(20);
  auto const look = [&](std::string const& with) {
    std::string const when = "beside an endless kernel" + with;
    watch(work, when, [&] { neighbour.measure(when); });
  };
  look("");
  for (std::uint64_t const us : {10'000u, 1'000u, 100u, 1u, 0u}) {
    Outcome const set = channel_groups::set_time_slice(us);
    fact(fmt::format("set the time slice to {} us", us), set.took_us, "us");
    if (set.status != 0)
      note(set.text);
    else
      look(fmt::format(" with a time slice of {} us", us));
  }
  if (usual) (void)channel_groups::set_time_slice(*usual);
  for (std::uint32_t const to : {0u, 2u}) {
    Outcome const set = channel_groups::set_interleave_level(to);
    if (set.status != 0)
      note(set.text);
    else
      look(fmt::format(" with interleave level {}", to));
  }
  if (level) (void)channel_groups::set_interleave_level(*level);
  end(work);
}

} // namespace pegasus::facts
