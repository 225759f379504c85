// SPDX-License-Identifier: Apache-2.0
// The option's text, as xen-patches/0003 reads it.
#include "domA/guests/xen/vaccel_option.h"

#include "domA/guests/xen/nodes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// Megabytes, or with a suffix.
std::optional<std::uint64_t> kilobytes(std::string_view text) {
  unsigned shift = 10;
  if (!text.empty()) {
    constexpr std::string_view suffixes = "kKmMgGtT";
    if (auto const at = suffixes.find(text.back()); at != std::string_view::npos) {
      shift = static_cast<unsigned>(at / 2 * 10);
      text.remove_suffix(1);
    }
  }
  auto const value = whole_number(text, VaccelOption::memory_kb_max >> shift);
  return value ? std::optional(*value << shift) : std::nullopt;
}

std::optional<std::uint32_t> permille(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(value * 1000));
}

// With its unit, but for 0; within its limits.
std::optional<std::uint32_t> microseconds(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (value == 0 && unit.empty()) return 0;
  double const length = unit == "s" ? 1e6 : unit == "ms" ? 1e3 : unit == "us" ? 1 : 0;
  double const wanted = value * length;
  auto constexpr least = static_cast<double>(VaccelOption::latency_us_min);
  auto constexpr most = static_cast<double>(VaccelOption::latency_us_max);
  if (length == 0 || !(wanted == 0 || (wanted >= least && wanted <= most))) return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(wanted));
}

} // namespace

tl::expected<VaccelOption, std::string> parse_vaccel(std::string_view text) {
  VaccelOption option;
  while (!text.empty()) {
    std::string_view const word = trimmed(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size() - 1) + 1);
    auto const equals = word.find('=');
    std::string_view const key = word.substr(0, equals);
    std::string_view const value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    auto invalid = [&](char const* valid) {
      return tl::unexpected(fmt::format("vaccel: {}={} is not valid: {}", key, value, valid));
    };
    if (key == "credits") {
      auto const credits = whole_number(value, VaccelOption::credits_max);
      if (!credits || *credits == 0) return invalid("a number from 1 to 65535");
      option.credits = static_cast<std::uint32_t>(*credits);
    } else if (key == "memory") {
      auto const memory = kilobytes(value);
      if (!memory || *memory == 0) return invalid("megabytes, or a number with K, M, G or T");
      option.memory_kb = *memory;
    } else if (key == "host-memory") {
      auto const memory = kilobytes(value);
      if (!memory || *memory == 0) return invalid("megabytes, or a number with K, M, G or T");
      option.host_memory_kb = *memory;
    } else if (key == "slo") {
      auto const slo = permille(value);
      if (!slo) return invalid("a number from 0 to 1");
      option.slo_permille = *slo;
    } else if (key == "latency") {
      auto const slice = microseconds(value);
      if (!slice) return invalid("a time from 100us to 1s, or 0");
      option.latency_us = *slice;
    } else if (key != "backend" && !word.empty()) {
      return tl::unexpected(
          fmt::format("vaccel: \"{}\" is none of credits=, memory=, slo=, latency=, host-memory=", word));
    }
  }
  return option;
}

VaccelNodes read_vaccel(std::string const& directory, std::optional<VaccelOption> const& last,
                        std::function<std::optional<std::string>(std::string const& path)> const& read) {
  VaccelNodes nodes;
  VaccelOption const usual;
  VaccelOption const before = last.value_or(usual);
  // True: the value, or its default if it never was anything else, is what the operator wants.
  auto take = [&]<class Value>(Value VaccelOption::*setting, char const* node, std::uint64_t least,
                               std::uint64_t most) {
    nodes.option.*setting = before.*setting;
    auto const text = read(directory + "/" + node);
    auto const value = text ? whole_number(*text, most) : std::nullopt;
    if (value && (*value >= least || *value == usual.*setting)) {
      nodes.option.*setting = static_cast<Value>(*value);
      return true;
    }
    if (!text && before.*setting == usual.*setting) return true;
    nodes.problems.push_back(
        fmt::format("{}/{} {}: {} {}", directory, node,
                    text ? fmt::format("is no number from {} to {}", least, most) : "is not there any more",
                    before.*setting, last ? "stays" : "is taken"));
    return false;
  };
  take(&VaccelOption::credits, "credits", 1, VaccelOption::credits_max);
  nodes.unlimited_by_error =
      !take(&VaccelOption::memory_kb, "memory-kb", 0, VaccelOption::memory_kb_max) && !last;
  take(&VaccelOption::slo_permille, "slo-permille", 0, VaccelOption::permille_max);
  take(&VaccelOption::latency_us, "latency-us", VaccelOption::latency_us_min, VaccelOption::latency_us_max);
  take(&VaccelOption::host_memory_kb, "host-memory-kb", 0, VaccelOption::memory_kb_max);
  return nodes;
}

} // namespace pegasus::xen
