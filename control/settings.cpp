// SPDX-License-Identifier: Apache-2.0
#include "control/settings.h"

#include "control/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

namespace pegasus::control {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t max_memory = std::uint64_t{1} << 50; // bytes
constexpr double permille = 1000;
constexpr std::uint32_t max_accelerators = 1023; // pegasusd knows the real number

constexpr std::string_view valid_size = "bytes, or a number with K, M, G or T, for example 64M; 0: no limit";
constexpr std::string_view valid_host_memory = "as memory, of its workers together; 0: pegasusd's default";
constexpr std::string_view valid_size_in_xl = "megabytes, or a number with K, M, G or T";

// Nodes are in kilobytes; a limit below one kilobyte is still a limit.
std::uint64_t kilobytes(std::uint64_t bytes) { return std::max(bytes / 1024, std::uint64_t{bytes > 0}); }

bool set_credits(Settings& settings, std::string_view text, Syntax) {
  auto const credits = whole_number(text, policies::min_credits, policies::max_credits);
  if (credits) settings.credits = static_cast<std::uint32_t>(*credits);
  return credits.has_value();
}

template <std::uint64_t Settings::*member>
bool set_memory(Settings& settings, std::string_view text, Syntax syntax) {
  bool const xl = syntax == Syntax::xl;
  auto const bytes = size(text, xl ? 20 : 0);
  if (!bytes || *bytes > max_memory || (xl && (*bytes == 0 || text.ends_with('B')))) return false;
  settings.*member = *bytes;
  return true;
}

template <double Settings::*member> bool set_part(Settings& settings, std::string_view text, Syntax) {
  auto const part = number(text, 0, 1);
  if (part) settings.*member = *part;
  return part.has_value();
}

bool set_latency(Settings& settings, std::string_view text, Syntax) {
  auto const slice = time(text);
  if (!slice ||
      (slice->count() != 0 && (*slice < policies::min_latency_slice || *slice > policies::max_latency_slice)))
    return false;
  settings.latency_slice = *slice;
  return true;
}

bool set_accelerator(Settings& settings, std::string_view text, Syntax) {
  auto const index = whole_number(text, 0, max_accelerators);
  if (!index && text != "any") return false;
  settings.accelerator.reset();
  if (index) settings.accelerator = static_cast<std::uint32_t>(*index);
  return true;
}

template <std::uint64_t Settings::*member>
constexpr Node memory_node(std::string_view name, bool fails_closed = false) {
  return {name,
          0,
          max_memory / 1024,
          [](Settings const& from) { return kilobytes(from.*member); },
          [](Settings& to, std::uint64_t value) { to.*member = value * 1024; },
          fails_closed};
}

template <double Settings::*member> constexpr Node part_node(std::string_view name) {
  return {
      name, 0, static_cast<std::uint64_t>(permille),
      [](Settings const& from) { return static_cast<std::uint64_t>(std::lround(from.*member * permille)); },
      [](Settings& to, std::uint64_t value) { to.*member = static_cast<double>(value) / permille; }};
}

static_assert(policies::min_credits == 1 && policies::max_credits == 65535); // as the texts below have it

constexpr std::array<Setting, 7> rows{{
    {"credits",
     "N",
     "a whole number from 1 to 65535",
     "a number from 1 to 65535",
     set_credits,
     {"credits", policies::min_credits, policies::max_credits,
      [](Settings const& from) { return std::uint64_t{from.credits}; },
      [](Settings& to, std::uint64_t value) { to.credits = static_cast<std::uint32_t>(value); }}},
    {"memory", "SIZE", valid_size, valid_size_in_xl, set_memory<&Settings::memory>,
     memory_node<&Settings::memory>("memory-kb", true)},
    {"slo", "X", "a number from 0 to 1", "a number from 0 to 1", set_part<&Settings::slo>,
     part_node<&Settings::slo>("slo-permille")},
    {"cap", "X", "a number from 0 to 1: at most this part of the device's time; 0: no limit",
     "a number from 0 to 1", set_part<&Settings::cap>, part_node<&Settings::cap>("cap-permille")},
    {"latency",
     "TIME",
     "a time from 100us to 1s, for example 2ms; 0: the policy's own slice",
     "a time from 100us to 1s, or 0",
     set_latency,
     {"latency-us", policies::min_latency_slice / microseconds(1),
      policies::max_latency_slice / microseconds(1),
      [](Settings const& from) {
        return static_cast<std::uint64_t>(std::chrono::round<microseconds>(from.latency_slice).count());
      },
      [](Settings& to, std::uint64_t value) { to.latency_slice = microseconds(value); }}},
    {"host-memory", "SIZE", valid_host_memory, valid_size_in_xl, set_memory<&Settings::host_memory>,
     memory_node<&Settings::host_memory>("host-memory-kb")},
    {"accelerator", "N", "as pegasusctl accelerators counts; any: whichever suits", "", set_accelerator, {}},
}};

} // namespace

std::span<Setting const> all_settings() { return rows; }

std::string settings_help() {
  std::string help;
  for (Setting const& setting : rows)
    help +=
        fmt::format("{}{}={} ({})", help.empty() ? "" : ", ", setting.key, setting.value_name, setting.valid);
  return help;
}

void take_nodes(Settings const& from, Settings& to) {
  for (Setting const& setting : rows)
    if (!setting.node.name.empty()) setting.node.set(to, setting.node.get(from));
}

std::optional<std::string> contradiction(Settings const& settings) {
  if (settings.cap <= 0 || settings.slo <= settings.cap) return std::nullopt;
  return fmt::format(
      "slo={0} is more than cap={1}: a domain cannot be promised more than it may have; set slo= to {1} "
      "or less, or raise cap=",
      settings.slo, settings.cap);
}

tl::expected<void, std::string> apply_settings(std::span<std::string const> words, Settings& settings) {
  Settings result = settings;
  std::vector<std::string_view> seen;
  for (std::string_view const word : words) {
    auto const equals = word.find('=');
    if (equals == std::string_view::npos)
      return tl::unexpected(fmt::format("\"{}\" is not key=value: {}", word, settings_help()));
    std::string_view const key = word.substr(0, equals);
    auto const setting = std::ranges::find(rows, key, &Setting::key);
    if (setting == rows.end())
      return tl::unexpected(fmt::format("\"{}\" is not a setting of a domain: {}", key, settings_help()));
    if (std::ranges::find(seen, key) != seen.end())
      return tl::unexpected(fmt::format("{} is given twice", key));
    seen.push_back(key);
    if (!setting->set(result, word.substr(equals + 1), Syntax::tool))
      return tl::unexpected(fmt::format("{} is not valid: {}", word, setting->valid));
  }
  if (auto const problem = contradiction(result)) return tl::unexpected(*problem);
  settings = result;
  return {};
}

} // namespace pegasus::control
