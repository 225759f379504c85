// SPDX-License-Identifier: Apache-2.0
#include "sim/report/trace.h"

#include <chrono>
#include <fmt/core.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace pegasus::sim {
namespace {

std::string quoted(std::string const& text) { return nlohmann::json(text).dump(); }

double microseconds(policies::Nanos time) { return std::chrono::duration<double, std::micro>(time).count(); }

// From 1: viewers hide 0. No thread has its process's number: Perfetto puts such a thread first.
std::size_t process_of(std::size_t run) { return run + 1; }
std::size_t thread_of(std::size_t run, std::size_t row) { return 100'000 * process_of(run) + row; }

} // namespace

void Trace::begin(Scenario const& scenario, std::string const& policy) {
  PolicyRun run;
  run.name = scenario.variant.empty() ? policy : scenario.variant + ": " + policy;
  auto const add_rows = [&run](char const* what, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n)
      run.rows.push_back(fmt::format("{} {}", what, n));
  };
  add_rows("pCPU", all_pcpus(scenario));
  run.first_accelerator = run.rows.size();
  add_rows("accelerator", scenario.accelerators.size());
  std::size_t copy_engines = 0;
  for (Engine::Options const& accelerator : scenario.accelerators) {
    run.first_copy_engine.push_back(run.rows.size() + copy_engines);
    copy_engines += accelerator.copy_engines;
  }
  add_rows("copy engine", copy_engines);
  runs_.push_back(std::move(run));
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
  add(runs_.back().first_accelerator + accelerator, domain, from, to);
}

void Trace::copied(std::size_t accelerator, std::size_t copy_engine, std::size_t domain, policies::Time from,
                   policies::Time to) {
  add(runs_.back().first_copy_engine[accelerator] + copy_engine, domain, from, to);
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
    auto const& rows = runs_[run].rows;
    event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process_of(run),
                      quoted(runs_[run].name)));
    for (std::size_t row = 0; row < rows.size(); ++row)
      event(fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}})",
                        process_of(run), thread_of(run, row), rows[row]));
  }
  for (Span const& span : spans_)
    event(fmt::format(R"("ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f})",
                      quoted(names_[span.name]), process_of(span.run), thread_of(span.run, span.row),
                      microseconds(span.from.time_since_epoch()), microseconds(span.to - span.from)));
  return text + "\n]}\n";
}

} // namespace pegasus::sim
