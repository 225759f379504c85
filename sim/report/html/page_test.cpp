// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/page.h"

#include "sim/report/html/throughput.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace pegasus::sim;

namespace {

struct Report {
  std::vector<ScenarioRuns> all;
  Recording recording;

  explicit Report(std::string const& text, std::string const& name = "test") {
    auto const scenarios = parse_scenarios(text, "test.toml");
    REQUIRE(scenarios);
    for (Scenario const& scenario : *scenarios) {
      auto const runs = run_policies(scenario, {"accc", "none"}, 1, &recording);
      REQUIRE(runs);
      all.push_back({name, scenario, *runs});
    }
  }
  [[nodiscard]] std::string page() const {
    return as_html(all, recording.runs(), {.version = "1", .command = "pegasus-sim 'a<b'"});
  }
};

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("the progress in intervals has the progress of the run as its mean") {
  Report const report(
      "duration = \"1s\"\n[[domain]]\n[[domain.program]]\nsteps = [\"cpu 1ms\", \"call 2ms\"]\n"
      "[[domain]]\ncredits = 512\n[[domain.program]]\nsteps = [\"call 700us\"]\n");
  for (std::size_t run = 0; run < 2; ++run)
    for (std::size_t domain = 0; domain < 2; ++domain) {
      Run const& of = report.all.front().runs[run];
      auto const values = html::interval_progress(of, report.recording.runs()[run], domain);
      REQUIRE(values.size() == recorded_intervals);
      double const mean =
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(recorded_intervals);
      CHECK(of.progress[domain] > 0);
      CHECK(mean == Approx(of.progress[domain]));
    }
}

TEST_CASE("texts of a scenario are only texts in the page") {
  Report const report("title = \"</title><script>alert(1)</script>\"\nduration = \"50ms\"\n[[domain]]\n"
                      "name = \"\\\" onload=\\\"x\"\n[[domain.program]]\nsteps = [\"call 1ms\"]\n",
                      "<img src=x>");
  std::string const page = report.page();
  CHECK_FALSE(has(page, "<script>alert"));
  CHECK_FALSE(has(page, "<img"));
  CHECK_FALSE(has(page, "\" onload"));
  CHECK_FALSE(has(page, "'a<b'"));
  CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(has(page, "&quot; onload=&quot;x"));
}

TEST_CASE("a domain without kernels, and a scenario without any, have a page") {
  Report const report("duration = \"50ms\"\n[[domain]]\nname = \"computes\"\n[[domain.program]]\n"
                      "steps = [\"cpu 1ms\"]\n");
  std::string const page = report.page();
  CHECK(has(page, "no kernels"));
  CHECK(has(page, "pCPU 0: computes"));
  CHECK_FALSE(has(page, "nan"));
  CHECK_FALSE(has(page, "inf"));
}

TEST_CASE("a page does not grow with the duration of its scenario") {
  std::string const rest = "[[domain]]\ncopies = 3\n[[domain.program]]\nsteps = [\"call 100us\"]\n";
  Report const one("duration = \"2s\"\n" + rest);
  Report const ten("duration = \"20s\"\n" + rest);
  CHECK(ten.page().size() < one.page().size() * 11 / 10);
}
