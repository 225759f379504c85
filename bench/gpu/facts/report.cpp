// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/report.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace pegasus::facts {
namespace {

std::string& part() {
  static std::string name = "gpu_facts";
  return name;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return line;
}

// One write for each line: processes share the output.
void print(std::string const& line) { (void)!write(STDOUT_FILENO, line.data(), line.size()); }

} // namespace

void begin_part(std::string_view name) { part() = name; }

void fact(std::string_view what, double value, std::string_view unit) {
  print(fmt::format("fact\t{}\t{}\t{:.6g}\t{}\n", part(), one_line(what), value, unit));
}

void note(std::string_view text) { print(fmt::format("note\t{}\t{}\n", part(), one_line(text))); }

void failed(std::string_view text) { print(fmt::format("failed\t{}\t{}\n", part(), one_line(text))); }

double now_us() {
  static auto const begin = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace pegasus::facts
