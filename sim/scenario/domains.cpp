// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/domains.h"

#include "control/quantity.h"
#include "sim/scenario/hardware.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace pegasus::sim {
namespace {

constexpr double least_weight = 0.001, greatest_weight = 1000; // of a program
constexpr Nanos least_period{std::chrono::microseconds(10)};   // of a nested scheduler

// "launch 2ms 16": a kind, its time, how often. A time "$" is `variant`.
Step read_step(toml::node const& node, std::string const& variant) {
  static constexpr auto expected =
      "a step is \"cpu TIME\", \"launch TIME [COUNT]\", \"call TIME [COUNT]\", "
      "\"to_device TIME [COUNT]\", \"from_device TIME [COUNT]\", "
      "\"sync\", \"sleep TIME\", \"every TIME\" or \"arrive TIME\", such as \"launch 2ms 16\"";
  auto const text = node.value_exact<std::string>();
  std::istringstream words(text.value_or(""));
  std::string kind, span, count, more;
  words >> kind >> span >> count >> more;
  if (span == "$") span = variant;
  static constexpr std::array<std::pair<std::string_view, Step::Kind>, 9> kinds{
      {{"cpu", Step::Kind::cpu},
       {"launch", Step::Kind::launch},
       {"call", Step::Kind::call},
       {"to_device", Step::Kind::to_device},
       {"from_device", Step::Kind::from_device},
       {"sync", Step::Kind::sync},
       {"sleep", Step::Kind::sleep},
       {"every", Step::Kind::every},
       {"arrive", Step::Kind::arrive}}};
  auto const* const found = std::ranges::find(kinds, kind, &std::pair<std::string_view, Step::Kind>::first);
  if (!text || found == kinds.end() || !more.empty()) TomlTable::fail(node, expected);
  Step step{.kind = found->second};
  bool const sync = step.kind == Step::Kind::sync;
  if (sync != span.empty() || (!makes_requests(step.kind) && !count.empty())) TomlTable::fail(node, expected);
  if (sync) return step;
  auto const time = control::time(span);
  if (!time || *time <= Nanos{0} || *time > max_span) TomlTable::fail(node, expected);
  step.span = *time;
  if (!count.empty()) {
    auto const times = control::whole_number(count, 1, max_count);
    if (!times) TomlTable::fail(node, expected);
    step.count = static_cast<std::uint32_t>(*times);
  }
  return step;
}

std::optional<Wait> read_wait(TomlTable& table) {
  if (table.find("wait") == nullptr) return std::nullopt;
  std::string const wait = table.text("wait", "");
  if (wait == "hybrid") return Wait::hybrid;
  if (wait == "spin") return Wait::spin;
  if (wait == "block") return Wait::block;
  TomlTable::fail(*table.find("wait"), "wait must be \"hybrid\", \"spin\" or \"block\"");
}

std::vector<Step> read_steps(TomlTable& table, std::string const& variant) {
  std::vector<Step> read;
  toml::node const* const steps = table.find("steps");
  if (steps == nullptr || !steps->is_array() || steps->as_array()->empty())
    table.fail("a program needs its steps, as in steps = [\"cpu 1ms\", \"launch 2ms 16\", \"sync\"]");
  for (toml::node const& step : *steps->as_array())
    read.push_back(read_step(step, variant));
  if (std::ranges::all_of(read, [](Step const& step) { return step.kind == Step::Kind::sync; }))
    TomlTable::fail(*steps,
                    "a program that only synchronizes never ends a round; add a step that takes time");
  return read;
}

// The steps of a program are its only phase, or it has [[domain.program.phase]].
std::vector<Phase> read_phases(TomlTable& table, std::string const& variant) {
  std::vector<Phase> phases;
  table.for_each("phase", [&](TomlTable& phase) {
    phases.push_back({.steps = read_steps(phase, variant), .rounds = phase.whole("rounds", 1, 0, max_count)});
  });
  if (phases.empty())
    return {{.steps = read_steps(table, variant), .rounds = table.whole("rounds", 0, 0, max_count)}};
  for (std::string_view const key : {"steps", "rounds"})
    if (toml::node const* const node = table.find(key))
      TomlTable::fail(*node,
                      fmt::format("a program with phases has its {} in each [[domain.program.phase]]", key));
  return phases;
}

ProgramSettings read_program(TomlTable& table, std::string const& usual_name, std::string const& variant) {
  return {.name = table.text("name", usual_name),
          .phases = read_phases(table, variant),
          .start = table.time("start", Nanos{0}, Nanos{0}, max_duration),
          .spread = table.number("spread", 0, 0, 1),
          .wait = read_wait(table),
          .weight = table.number("weight", 1, least_weight, greatest_weight)};
}

std::optional<NestedSettings> read_nested(TomlTable& table) {
  toml::node const* const node = table.find("nested");
  if (node == nullptr) return std::nullopt;
  if (!node->is_table())
    TomlTable::fail(*node, "nested must be a table, as in nested = { lag = \"2ms\", period = \"1ms\" }");
  TomlTable nested(*node->as_table(), "a nested scheduler");
  NestedSettings settings;
  settings.period = nested.time("period", settings.period, least_period, max_span);
  settings.lag = nested.time("lag", settings.lag, Nanos{0}, max_span);
  settings.idle_after = nested.time("idle_after", settings.idle_after, Nanos{0}, max_span);
  nested.no_other_keys();
  return settings;
}

// How many there are of each domain or program: a number, or `variant` for "$".
std::uint64_t read_copies(TomlTable& table, std::string const& variant, std::uint64_t most) {
  toml::node const* const node = table.find("copies");
  if (node == nullptr || node->is_integer()) return table.whole("copies", 1, 1, most);
  auto const copies =
      node->value_exact<std::string>() == "$" ? control::whole_number(variant, 1, most) : std::nullopt;
  if (!copies)
    TomlTable::fail(*node, fmt::format("copies must be a whole number from 1 to {}, or \"$\" if each entry "
                                       "of vary is one",
                                       most));
  return *copies;
}

// A domain's cap is that of its vCPUs, as in xl.cfg.
std::string_view key_of(control::Setting const& setting) {
  return setting.key == "cap" ? "accelerator_cap" : setting.key;
}

// The settings of `pegasusctl set`, by the same table.
control::Settings read_settings(TomlTable& table, std::string const& variant) {
  control::Settings settings;
  for (control::Setting const& setting : control::all_settings()) {
    toml::node const* const node = table.find(key_of(setting));
    if (node == nullptr) continue;
    std::string text = node->value<std::string>().value_or("");
    if (text == "$") text = variant;
    if (node->is_integer()) text = fmt::format("{}", **node->as_integer());
    if (node->is_floating_point()) text = fmt::format("{}", **node->as_floating_point());
    if (!setting.set(settings, text, control::Syntax::tool))
      TomlTable::fail(*node, fmt::format("{} must be {}", key_of(setting), setting.valid));
  }
  if (settings.cap > 0 && settings.slo > settings.cap)
    TomlTable::fail(*table.find("slo"), "slo must be no more than accelerator_cap");
  return settings;
}

} // namespace

void read_domain(TomlTable& table, Scenario& scenario) {
  DomainScenario domain;
  domain.name = table.text("name", fmt::format("d{}", scenario.domains.size() + 1));
  domain.vcpus = static_cast<std::uint32_t>(table.whole("vcpus", 1, 1, max_vcpus));
  domain.cpu = read_cpu(table, scenario.cpus.pcpus);
  domain.accelerator = read_settings(table, scenario.variant);
  if (domain.accelerator.accelerator.value_or(0) >= scenario.accelerators.size())
    TomlTable::fail(
        *table.find("accelerator"),
        fmt::format("this scenario has {} accelerators, numbered from 0", scenario.accelerators.size()));
  domain.nested = read_nested(table);
  table.for_each("program", [&](TomlTable& program) {
    if (toml::node const* const weight = program.find("weight"); weight != nullptr && !domain.nested)
      TomlTable::fail(*weight,
                      "the weight of a program is for a domain with a nested scheduler, as in nested = {}");
    std::uint64_t const copies = read_copies(program, scenario.variant, max_programs);
    domain.programs.insert(domain.programs.end(), copies,
                           read_program(program, domain.name, scenario.variant));
  });
  std::uint64_t const copies = read_copies(table, scenario.variant, max_domains);
  if (scenario.domains.size() + copies > max_domains)
    table.fail(fmt::format("a scenario has at most {} domains", max_domains));
  std::string const name = domain.name;
  for (std::uint64_t copy = 1; copy <= copies; ++copy) {
    if (copies > 1) domain.name = fmt::format("{}-{}", name, copy);
    if (std::ranges::any_of(scenario.domains, [&](auto const& each) { return each.name == domain.name; }))
      table.fail(fmt::format("two domains are called '{}'", domain.name));
    scenario.domains.push_back(domain);
  }
}

} // namespace pegasus::sim
