// SPDX-License-Identifier: Apache-2.0
#include "sim/report/trace.h"

#include <chrono>
#include <fmt/core.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace pegasus::sim {
namespace {

std::string quoted(std::string const& text) { return nlohmann::json(text).dump(); }

double microseconds(policies::Nanos time) { return std::chrono::duration<double, std::micro>(time).count(); }

// From 1: viewers hide 0. No thread has its process's number: Perfetto puts such a thread first.
std::size_t process_of(std::size_t run) { return run + 1; }
std::size_t thread_of(std::size_t run, std::size_t row) { return 100'000 * process_of(run) + row; }

} // namespace

void Trace::begin(Scenario const& scenario, std::string const& policy) {
  runs_.push_back({scenario.variant.empty() ? policy : scenario.variant + ": " + policy, all_pcpus(scenario),
                   scenario.accelerators.size()});
  first_name_ = names_.size();
  for (DomainScenario const& domain : scenario.domains)
    names_.push_back(domain.name);
  if (scenario.dom0) names_.emplace_back("Dom0");
}

void Trace::add(std::size_t row, std::size_t domain, policies::Time from, policies::Time to) {
  if (from == to) return;
  spans_.push_back({.run = static_cast<std::uint32_t>(runs_.size() - 1),
                    .row = static_cast<std::uint32_t>(row),
                    .name = static_cast<std::uint32_t>(first_name_ + domain),
                    .from = from,
                    .to = to});
}

void Trace::vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) {
  add(pcpu, domain, from, to);
}

void Trace::kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from, policies::Time to) {
  add(runs_.back().pcpus + accelerator, domain, from, to);
}

// One event a line.
std::string Trace::as_json() const {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char const* comma = "\n";
  auto const event = [&](std::string const& fields) {
    fmt::format_to(std::back_inserter(text), "{}{{{}}}", comma, fields);
    comma = ",\n";
  };
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    auto const& [name, pcpus, accelerators] = runs_[run];
    event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process_of(run),
                      quoted(name)));
    for (std::size_t row = 0; row < pcpus + accelerators; ++row)
      event(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}})",
                        process_of(run), thread_of(run, row),
                        row < pcpus ? fmt::format("pCPU {}", row)
                                    : fmt::format("accelerator {}", row - pcpus)));
  }
  for (Span const& span : spans_)
    event(fmt::format(R"("ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f})",
                      quoted(names_[span.name]), process_of(span.run), thread_of(span.run, span.row),
                      microseconds(span.from.time_since_epoch()), microseconds(span.to - span.from)));
  return text + "\n]}\n";
}

} // namespace pegasus::sim
