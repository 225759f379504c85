// SPDX-License-Identifier: Apache-2.0
// The output at the end of a workload: a line of figures for people, the `result:` line for programs, and
// PASS or FAIL.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace workload {

// Ends the program at once. Uses _Exit, because other threads may be inside CUDA calls.
[[noreturn]] inline void fail(char const* format, ...) __attribute__((format(printf, 1, 2)));
inline void fail(char const* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::fputs("FAIL: ", stdout);
  std::vprintf(format, values);
  va_end(values);
  std::fputc('\n', stdout);
  std::fflush(stdout);
  std::_Exit(1);
}

class Stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Relative above 1 and absolute below: a tolerance then has the same meaning for prices near zero and
// near a hundred.
inline bool close_to(double got, double expected, double tolerance) {
  return std::fabs(got - expected) <= tolerance * std::fmax(1.0, std::fabs(expected)); // false for NaN
}

// Returns an empty string if all elements match, otherwise one sentence about the first mismatch.
template <class Got, class Expected>
std::string first_mismatch(char const* what, std::vector<Got> const& got,
                           std::vector<Expected> const& expected, double tolerance = 0) {
  if (got.size() != expected.size()) return std::string(what) + ": wrong number of elements";
  for (std::size_t i = 0; i < got.size(); ++i) {
    double const mine = static_cast<double>(got[i]), theirs = static_cast<double>(expected[i]);
    if (close_to(mine, theirs, tolerance)) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s[%zu] is %.9g, expected %.9g", what, i, mine, theirs);
    return text;
  }
  return {};
}

struct Result {
  char const* workload;
  std::uint64_t work;
  char const* unit;
  double seconds;
  std::string more_json = {}; // additional members, each with a leading comma
};

// `mismatch` is empty if the result is verified. Returns the exit status.
inline int report(Result const& result, std::string const& mismatch) {
  double const rate = result.seconds > 0 ? static_cast<double>(result.work) / result.seconds : 0;
  std::printf("%s: %llu %s in %.3f s, %.4g %s/s\n", result.workload,
              static_cast<unsigned long long>(result.work), result.unit, result.seconds, rate, result.unit);
  std::printf(
      "result: {\"workload\":\"%s\",\"work\":%llu,\"unit\":\"%s\",\"seconds\":%.6f,\"verified\":%s%s}\n",
      result.workload, static_cast<unsigned long long>(result.work), result.unit, result.seconds,
      mismatch.empty() ? "true" : "false", result.more_json.c_str());
  if (mismatch.empty())
    std::puts("PASS");
  else
    std::printf("FAIL: %s\n", mismatch.c_str());
  std::fflush(stdout);
  return mismatch.empty() ? 0 : 1;
}

} // namespace workload
