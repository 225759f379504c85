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

} // namespace

void Trace::begin(Scenario const& scenario, std::string const& policy) {
  groups_.push_back({policy + ": pCPUs", "pCPU", scenario.cpus.pcpus});
  groups_.push_back({policy + ": accelerators", "accelerator", scenario.accelerators.size()});
  first_name_ = names_.size();
  for (DomainScenario const& domain : scenario.domains)
    names_.push_back(domain.name);
}

void Trace::add(std::uint32_t group, std::size_t row, std::size_t domain, policies::Time from,
                policies::Time to) {
  if (from == to) return;
  spans_.push_back({.group = static_cast<std::uint32_t>(groups_.size()) - group,
                    .row = static_cast<std::uint32_t>(row),
                    .name = static_cast<std::uint32_t>(first_name_ + domain),
                    .from = from,
                    .to = to});
}

void Trace::vcpu_ran(unsigned pcpu, std::size_t domain, policies::Time from, policies::Time to) {
  add(2, pcpu, domain, from, to);
}

void Trace::kernel_ran(std::size_t accelerator, std::size_t domain, policies::Time from, policies::Time to) {
  add(1, accelerator, domain, from, to);
}

// One event a line. Process and thread numbers are those of groups and rows, from 1: viewers hide 0.
std::string Trace::as_json() const {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  char const* comma = "\n";
  auto const event = [&](std::string const& fields) {
    fmt::format_to(std::back_inserter(text), "{}{{{}}}", comma, fields);
    comma = ",\n";
  };
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", group + 1,
                      quoted(groups_[group].name)));
    event(fmt::format(R"("ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}})",
                      group + 1));
    for (std::size_t row = 0; row < groups_[group].rows; ++row)
      event(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{} {}"}})",
                        group + 1, row + 1, groups_[group].row, row));
  }
  for (Span const& span : spans_)
    event(fmt::format(R"("ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f})",
                      quoted(names_[span.name]), span.group + 1, span.row + 1,
                      microseconds(span.from.time_since_epoch()), microseconds(span.to - span.from)));
  return text + "\n]}\n";
}

} // namespace pegasus::sim
