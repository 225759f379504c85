// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/program_text.h"

#include "ctl/record/steps.h"
#include "ctl/text/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pegasus::ctl {
namespace {

// What one program does: it begins with the first of its work, and ends with the last.
struct Course {
  std::uint64_t start_ns = 0;
  std::vector<Steps> phases;
};

// Program `number`, from 0, works in the phases with more tasks than that.
Course course_of(std::span<Interval const> phases, std::uint64_t number) {
  Course course;
  std::uint64_t pause_ns = 0;
  for (Interval const& phase : phases) {
    if (phase.idle() || phase.tasks() <= number) {
      pause_ns += phase.length_ns;
      continue;
    }
    if (course.phases.empty())
      course.start_ns = pause_ns;
    else if (pause_ns > 0)
      course.phases.push_back(pause_of(pause_ns));
    pause_ns = 0;
    course.phases.push_back(steps_of(phase));
  }
  // One that works in the end goes on for as long as it may: another policy may let it do more.
  if (pause_ns == 0 && !course.phases.empty()) course.phases.back().rounds = 0;
  return course;
}

std::string steps_text(Steps const& steps) {
  std::string text;
  for (std::string const& step : steps.steps)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", toml_text(step));
  return fmt::format("steps = [{}]\n", text);
}

} // namespace

std::uint64_t programs_in(std::span<Interval const> phases) {
  std::uint64_t most = 0;
  for (Interval const& phase : phases)
    if (!phase.idle()) most = std::max(most, phase.tasks());
  return most;
}

std::string programs_text(RecordedDomain const& domain, std::span<Interval const> phases) {
  std::string text;
  for (std::uint64_t number = 0; number < programs_in(phases); ++number) {
    Course const course = course_of(phases, number);
    text += "[[domain.program]]\n";
    if (!domain.program.empty()) text += fmt::format("name = {}\n", toml_text(domain.program));
    if (course.start_ns > 0) text += fmt::format("start = \"{}\"\n", time_text(course.start_ns));
    if (course.phases.size() == 1) {
      Steps const& only = course.phases.front();
      if (only.rounds > 0) text += fmt::format("rounds = {}\n", only.rounds);
      text += steps_text(only);
      continue;
    }
    for (Steps const& phase : course.phases)
      text += fmt::format("[[domain.program.phase]]\nrounds = {}\n", phase.rounds) + steps_text(phase);
  }
  return text;
}

} // namespace pegasus::ctl
