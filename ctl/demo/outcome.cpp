// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/outcome.h"

#include "cli/printable.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace pegasus::ctl {
namespace {

constexpr std::string_view result_mark = "result: ";

struct Lines {
  std::optional<std::string_view> result; // after the mark
  std::string_view last;                  // the last line that is not empty
};

Lines split(std::string_view output) {
  Lines lines;
  while (!output.empty()) {
    std::string_view const line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (line.starts_with(result_mark)) lines.result = line.substr(result_mark.size());
    if (!line.empty()) lines.last = line;
  }
  return lines;
}

double number(nlohmann::json const& object, char const* key) {
  auto const found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

} // namespace

Outcome read_outcome(std::string_view output, Ended ended) {
  Lines const lines = split(output);
  Outcome outcome;
  bool claims = false;
  if (lines.result) {
    auto const json = nlohmann::json::parse(*lines.result, nullptr, false);
    if (json.is_object()) {
      double const seconds = number(json, "seconds");
      outcome.work_per_s = seconds > 0 ? number(json, "work") / seconds : 0;
      if (auto const unit = json.find("unit"); unit != json.end() && unit->is_string())
        outcome.unit = unit->get<std::string>();
      auto const verified = json.find("verified");
      claims = verified != json.end() && verified->is_boolean() && verified->get<bool>();
    }
  }
  if (ended.by_signal())
    outcome.problem = fmt::format("it was killed by signal {}", ended.signal());
  else if (ended.exit_code() != 0)
    outcome.problem =
        fmt::format("exit status {}; its last words: \"{}\"", ended.exit_code(), cli::printable(lines.last));
  else if (!claims || lines.last != "PASS")
    outcome.problem = fmt::format("it did not report a verified result; its last words: \"{}\"",
                                  cli::printable(lines.last));
  outcome.verified = outcome.problem.empty();
  return outcome;
}

} // namespace pegasus::ctl
