// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/scenario_text.h"

#include "ctl/record/phases.h"
#include "ctl/record/program_text.h"
#include "ctl/text/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pegasus::ctl {
namespace {

// Limits of a scenario.
constexpr std::uint64_t most_vcpus = 128;
constexpr std::uint64_t most_pcpus = 1024;

std::uint64_t vcpus_of(std::span<Interval const> phases) {
  return std::clamp<std::uint64_t>(programs_in(phases), 1, most_vcpus);
}

std::string head(Recording const& recording, std::uint64_t length_ns, std::uint64_t pcpus) {
  std::string text =
      "# What a pegasusd's domains did, by `pegasusctl record`. sim/README.md describes the keys, and what a "
      "replay does not show.\n";
  text += fmt::format("title = {}\n",
                      toml_text(fmt::format("Recorded for {:.1f} s under {}",
                                            static_cast<double>(length_ns) * 1e-9, recording.policy)));
  text += fmt::format("duration = \"{}\"\nwarm_up = \"0s\"\n", time_text(length_ns));
  if (!recording.tick.empty()) text += fmt::format("tick = {}\n", toml_text(recording.tick));
  text += "\n# Each program has a pCPU of its own: the time between its calls is as it was measured.\n";
  text += fmt::format("[cpus]\ncount = {}\n", pcpus);
  for (std::uint64_t const cost : recording.switch_costs_ns)
    text += fmt::format("\n[[accelerator]]\nswitch_cost = \"{}\"\n", time_text(cost));
  return text;
}

// SLOs of domains that were in use at different times can add up to more than a scenario may promise.
std::string slo_text(RecordedDomain const& domain, double& promised) {
  if (domain.slo <= 0) return "";
  if (promised + domain.slo > 1)
    return fmt::format("# slo = {}: with those above it would be more than the accelerator\n", domain.slo);
  promised += domain.slo;
  return fmt::format("slo = {}\n", domain.slo);
}

std::string domain_text(Recording const& recording, RecordedDomain const& domain,
                        std::span<Interval const> phases, std::vector<double>& promised) {
  std::string text =
      fmt::format("\n[[domain]]\nname = {}\ncredits = {}\n", toml_text(domain.name), domain.credits);
  if (domain.accelerator < promised.size()) text += slo_text(domain, promised[domain.accelerator]);
  if (domain.latency_slice_ns > 0)
    text += fmt::format("latency = \"{}\"\n", time_text(domain.latency_slice_ns));
  if (recording.switch_costs_ns.size() > 1) text += fmt::format("accelerator = {}\n", domain.accelerator);
  if (domain.cpu_weight > 0) text += fmt::format("weight = {}\n", domain.cpu_weight);
  if (vcpus_of(phases) > 1) text += fmt::format("vcpus = {}\n", vcpus_of(phases));
  if (domain.estimated) text += "# Its device time is an estimate: it shared the accelerator.\n";
  if (programs_in(phases) == 0) text += "# None of its calls was executed.\n";
  return text + programs_text(domain, phases);
}

std::string recorded_text(Recording const& recording, std::uint64_t length_ns) {
  std::string text = fmt::format("\n[recorded]\npolicy = {}\nduration = \"{}\"\n",
                                 toml_text(recording.policy), time_text(length_ns));
  for (RecordedDomain const& domain : recording.domains) {
    Interval const all = all_of(domain);
    text +=
        fmt::format("\n[[recorded.domain]]\nname = {}\ndevice_time = \"{}\"\ncalls = {}\nshare = {:.6f}\n",
                    toml_text(domain.name), time_text(all.device_ns), all.calls, share_of(recording, domain));
    if (all.calls > 0) text += fmt::format("mean_wait = \"{}\"\n", time_text(all.waited_ns / all.calls));
  }
  return text;
}

} // namespace

Interval all_of(RecordedDomain const& domain) {
  Interval all;
  for (Interval const& each : domain.intervals)
    all += each;
  return all;
}

double share_of(Recording const& recording, RecordedDomain const& domain) {
  double there = 0;
  for (RecordedDomain const& other : recording.domains)
    if (other.accelerator == domain.accelerator) there += static_cast<double>(all_of(other).device_ns);
  return there > 0 ? static_cast<double>(all_of(domain).device_ns) / there : 0;
}

std::string scenario_text(Recording const& recording) {
  std::uint64_t length_ns = 0;
  std::uint64_t pcpus = 0;
  std::string domains;
  std::vector<double> promised(recording.switch_costs_ns.size());
  for (RecordedDomain const& domain : recording.domains) {
    std::vector<Interval> const phases = phases_of(domain.intervals);
    length_ns = all_of(domain).length_ns; // the same of each
    pcpus += vcpus_of(phases);
    domains += domain_text(recording, domain, phases, promised);
  }
  return head(recording, length_ns, std::clamp<std::uint64_t>(pcpus, 1, most_pcpus)) + domains +
         recorded_text(recording, length_ns);
}

} // namespace pegasus::ctl
