// SPDX-License-Identifier: Apache-2.0
// A domain with a cap on the modelled host, under every policy, alone and beside another.
#include "policies/registry.h"
#include "sim/testing/device_parts.h"

#include <catch2/catch.hpp>
#include <fmt/core.h>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

std::vector<double> parts(std::string const& domains, std::string const& policy) {
  return testing::device_parts("duration = \"5s\"\nwarm_up = \"1s\"\n[cpus]\ncount = 2\n" + domains, policy);
}

std::string capped(double cap, std::string_view kernel) {
  return fmt::format(
      "[[domain]]\naccelerator_cap = {}\n[[domain.program]]\nsteps = [\"launch {} 8\", \"sync\"]\n", cap,
      kernel);
}

} // namespace

TEST_CASE("a domain receives its cap, on an idle device and beside another") {
  std::string const other = "[[domain]]\n[[domain.program]]\nsteps = [\"call 1ms\"]\n";
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry())
    for (std::string_view const kernel : {"100us", "5ms", "40ms"}) {
      std::string const name(entry.name);
      INFO(name << ", kernels of " << kernel);
      CHECK(parts(capped(0.3, kernel), name)[0] == Approx(0.3).margin(0.01));
      std::vector<double> const both = parts(capped(0.2, kernel) + other, name);
      CHECK(both[0] < 0.21);
      if (!entry.exclusive || !entry.work_conserving) continue;
      CHECK(both[0] == Approx(0.2).margin(0.01));
      CHECK(both[1] > 0.75); // the rest
    }
  CHECK(parts(capped(0.2, "1ms") + other, "eevdf hold=auto")[0] == Approx(0.2).margin(0.01));
}
