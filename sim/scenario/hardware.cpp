// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/hardware.h"

#include "control/quantity.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace pegasus::sim {
namespace {

using std::chrono::milliseconds;

// Of a schedule, and its period: each reading is an event, and all since the oldest are kept.
constexpr Nanos least_age{std::chrono::microseconds(10)}, greatest_age{std::chrono::seconds(1)};
constexpr std::array<std::pair<std::string_view, bool>, 2> tick_phases{
    {{"together", false}, {"spread", true}}};

// What the key names, as in a table of names and values; the first of them if the key is missing.
template <class Names> auto read_name(TomlTable& table, std::string_view key, Names const& names) {
  std::string const text = table.text(key, std::string(names.front().first));
  auto const* const found =
      std::ranges::find(names, text, [](auto const& each) -> std::string_view { return each.first; });
  if (found != names.end()) return found->second;
  std::string all;
  for (auto const& each : names)
    all += fmt::format("{}\"{}\"", all.empty() ? "" : &each == &names.back() ? " or " : ", ", each.first);
  TomlTable::fail(*table.find(key), fmt::format("{} must be {}", key, all));
}

// "$" is `variant`.
Nanos read_time(TomlTable& table, std::string_view key, std::string const& variant) {
  toml::node const* const node = table.find(key);
  bool const varies = node != nullptr && node->value_exact<std::string>() == "$";
  auto const varied = varies ? control::time(variant) : std::nullopt;
  return varied ? *varied : table.time(key, Nanos{0}, Nanos{0}, max_span);
}

ScheduleSettings read_schedule(TomlTable& table, std::string const& variant) {
  ScheduleSettings const settings{.source = read_name(table, "schedule", schedule_sources),
                                  .age = read_time(table, "schedule_age", variant),
                                  .period = read_time(table, "schedule_period", variant)};
  for (auto const& [key, time] :
       {std::pair("schedule_age", settings.age), {"schedule_period", settings.period}}) {
    if (time == Nanos{0}) continue;
    if (settings.source != ScheduleSource::pages)
      TomlTable::fail(*table.find(key), fmt::format("{} needs schedule = \"pages\"", key));
    if (time < least_age || time > greatest_age)
      TomlTable::fail(*table.find(key), fmt::format("{} must be 0 or a time from 10us to 1s", key));
  }
  return settings;
}

// How a worker waits for the device; a value of `wait` that a program has, too.
bool read_device_poll(TomlTable& table) {
  std::string const wait = table.text("wait", "spin");
  if (wait != "spin" && wait != "block")
    TomlTable::fail(*table.find("wait"), "Dom0's wait must be \"spin\" or \"block\"");
  return wait == "spin";
}

} // namespace

VcpuSettings read_cpu(TomlTable& table, unsigned pcpus) {
  VcpuSettings cpu;
  cpu.weight =
      static_cast<std::uint32_t>(table.whole("weight", 256, policies::min_credits, policies::max_credits));
  cpu.cap = static_cast<std::uint32_t>(table.whole("cap", 0, 0, 100 * max_vcpus));
  for (std::uint64_t const pcpu : table.wholes("pin", pcpus - 1))
    cpu.pin.push_back(static_cast<unsigned>(pcpu));
  return cpu;
}

void read_cpus(toml::node const& node, Scenario& scenario) {
  if (!node.is_table()) TomlTable::fail(node, "cpus must be a table: [cpus]");
  TomlTable table(*node.as_table(), "[cpus]");
  SchedulerKind const scheduler = read_name(table, "scheduler", scheduler_kinds);
  for (std::string_view const key : {"slice", "ticks"})
    if (toml::node const* const found = table.find(key);
        found != nullptr && scheduler == SchedulerKind::credit2)
      TomlTable::fail(*found, fmt::format("credit2 has no {}: only credit has it; both have ratelimit", key));
  scenario.cpus = {.scheduler = scheduler,
                   .pcpus = static_cast<unsigned>(table.whole("count", 1, 1, max_pcpus(scheduler))),
                   .slice = table.time("slice", milliseconds(30), milliseconds(1), std::chrono::seconds(1)),
                   .ratelimit = table.time("ratelimit", milliseconds(1), Nanos{0}, milliseconds(500)),
                   .ticks_spread = read_name(table, "ticks", tick_phases)};
  scenario.schedule = read_schedule(table, scenario.variant);
  table.no_other_keys();
}

void read_dom0(toml::node const& node, Scenario& scenario) {
  if (!node.is_table()) TomlTable::fail(node, "dom0 must be a table: [dom0]");
  TomlTable table(*node.as_table(), "[dom0]");
  Dom0Settings dom0;
  dom0.vcpus = static_cast<std::uint32_t>(table.whole("vcpus", 1, 1, max_vcpus));
  dom0.own_pcpus = static_cast<unsigned>(table.whole("own_pcpus", 0, 0, max_pcpus(scenario.cpus.scheduler)));
  dom0.cpu = read_cpu(table, dom0.own_pcpus > 0 ? dom0.own_pcpus : scenario.cpus.pcpus);
  dom0.device_poll = read_device_poll(table);
  scenario.dom0 = dom0;
  table.no_other_keys();
}

namespace {

// A size as in "64M"; none if the key is missing.
std::uint64_t read_size(TomlTable& table, std::string_view key, std::uint64_t usual) {
  toml::node const* const node = table.find(key);
  if (node == nullptr) return usual;
  auto const text = node->value_exact<std::string>();
  auto const size = text ? control::size(*text) : std::nullopt;
  if (!size || *size == 0) TomlTable::fail(*node, fmt::format("{} must be a size, such as \"64M\"", key));
  return *size;
}

Memory::Options read_memory(TomlTable& table) {
  Memory::Options memory;
  memory.capacity = read_size(table, "memory", 0);
  memory.granule = read_size(table, "granule", memory.granule);
  memory.bandwidth = read_size(table, "bandwidth", 0);
  for (std::string_view const key : {"granule", "bandwidth"})
    if (toml::node const* const node = table.find(key); node != nullptr && memory.capacity == 0)
      TomlTable::fail(*node, fmt::format("{} needs the accelerator's memory, as in memory = \"8G\"", key));
  return memory;
}

} // namespace

Engine::Options read_accelerator(TomlTable& table, std::string const& variant) {
  return {.switch_cost = read_time(table, "switch_cost", variant),
          .contention = read_time(table, "contention", variant),
          .preempt = read_time(table, "preempt", variant),
          .copy_engines = static_cast<unsigned>(table.whole("copy_engines", 0, 0, max_copy_engines)),
          .told_switch_cost = table.find("told_switch_cost") == nullptr
                                  ? std::nullopt
                                  : std::optional(read_time(table, "told_switch_cost", variant)),
          .piece = read_time(table, "piece", variant),
          .piece_cost = read_time(table, "piece_cost", variant),
          .memory = read_memory(table)};
}

} // namespace pegasus::sim
