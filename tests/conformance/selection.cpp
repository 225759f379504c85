// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/selection.h"

#include "plugins/policy_plugin.h"

#include <catch2/catch.hpp>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fmt/core.h>
#include <numeric>
#include <optional>

namespace pegasus::conformance {
namespace {

using policies::Entry;

std::optional<std::string> variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::uint64_t> number(char const* name) {
  auto const text = variable(name);
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size())
    FAIL(name << "=" << *text << ": a number is wanted");
  return value;
}

Entry const* of_plugin(std::string const& file) {
  auto const entry = plugins::load_policy(file, plugins::Trust::any);
  if (!entry) FAIL(entry.error());
  return *entry;
}

Entry const* named(std::string const& name) {
  auto const choice = policies::choose(name, {}, {});
  if (auto const* invalid = std::get_if<policies::InvalidChoice>(&choice)) FAIL(invalid->text);
  return std::get<policies::Choice>(choice).policy;
}

std::string quoted(std::string const& word) { return "'" + word + "'"; }

} // namespace

std::vector<Entry const*> chosen_policies() {
  if (auto const file = variable("PEGASUS_POLICY_PLUGIN")) {
    static Entry const* const entry = of_plugin(*file); // the test cases share it
    return {entry};
  }
  if (auto const name = variable("PEGASUS_POLICY")) return {named(*name)};
  std::vector<Entry const*> all;
  for (Entry const& entry : policies::registry())
    all.push_back(&entry);
  return all;
}

std::vector<std::uint64_t> chosen_seeds(std::uint64_t usual) {
  if (auto const seed = number("PEGASUS_SEED")) return {*seed};
  std::vector<std::uint64_t> seeds(usual);
  std::iota(seeds.begin(), seeds.end(), 0);
  return seeds;
}

int chosen_steps(int usual) { return static_cast<int>(number("PEGASUS_STEPS").value_or(usual)); }

std::string broken(Entry const& entry, std::string_view rule, std::uint64_t seed, int step) {
  auto const file = variable("PEGASUS_POLICY_PLUGIN");
  std::string const policy =
      file ? "PEGASUS_POLICY_PLUGIN=" + quoted(*file) : "PEGASUS_POLICY=" + std::string(entry.name);
  return fmt::format("policy {}, seed {}, step {}, breaks: {}\n"
                     "again: {} PEGASUS_SEED={} PEGASUS_STEPS={} {} \"{}\"",
                     entry.name, seed, step, rule, policy, seed, step, quoted(program_invocation_name),
                     Catch::getResultCapture().getCurrentTestName());
}

std::string milliseconds(policies::Nanos time) {
  return fmt::format("{} ms", std::chrono::duration<double, std::milli>(time).count());
}

} // namespace pegasus::conformance
