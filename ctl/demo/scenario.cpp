// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/scenario.h"

#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

constexpr std::uint32_t credits[] = {1024, 512, 256, 512};
constexpr unsigned short_kernel_us = 500;
// no longer than a tick: the remaining unfairness is the policy's
constexpr unsigned long_kernel_us = 20 * short_kernel_us;

} // namespace

std::vector<DemoDomain> demo_domains(bool mixed, double seconds) {
  std::vector<DemoDomain> domains;
  for (std::uint32_t const share : credits) {
    std::size_t const number = domains.size() + 1;
    DemoDomain domain{fmt::format("dom{}", number),
                      share,
                      mixed ? "throttle" : "black_scholes",
                      {"--seconds", fmt::format("{:.3f}", seconds)}};
    if (mixed) {
      unsigned const microseconds = number == std::size(credits) ? long_kernel_us : short_kernel_us;
      domain.arguments.insert(domain.arguments.end(), {"--microseconds", fmt::format("{}", microseconds)});
    }
    domains.push_back(std::move(domain));
  }
  return domains;
}

std::vector<std::string> split_policies(std::string const& list) {
  std::vector<std::string> names(1);
  for (char const c : list)
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

} // namespace pegasus::ctl
