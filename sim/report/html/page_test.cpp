// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/page.h"

#include "sim/report/html/figures.h"
#include "sim/report/html/shown.h"
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
      auto runs = run_seeds(name, scenario, {"accc", "none"}, {}, &recording);
      REQUIRE(runs);
      runs->text = text;
      all.push_back(std::move(*runs));
    }
  }
  [[nodiscard]] std::string page() const {
    return as_html(all, recording.runs(), {.version = "1", .command = "pegasus-sim 'a<b'"});
  }
};

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

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
  // Below the table, as printed, in seven figures, and of two policies in that of what ran.
  CHECK(count(page, "no kernels in the measurement") == 11);
  CHECK_FALSE(has(page, "1.000"));
  CHECK(has(page, "pCPU 0: computes"));
  CHECK_FALSE(has(page, "nan"));
  CHECK_FALSE(has(page, "inf"));
}

TEST_CASE("a page's size does not depend on the scenario's duration") {
  std::string const rest = "[[domain]]\ncopies = 3\n[[domain.program]]\nsteps = [\"call 100us\"]\n";
  Report const one("duration = \"2s\"\n" + rest);
  Report const ten("duration = \"20s\"\n" + rest);
  CHECK(ten.page().size() < one.page().size() * 11 / 10);
}

TEST_CASE("a domain without kernels beside others says so in each row") {
  Report const report("duration = \"50ms\"\n[[domain]]\nname = \"late\"\n[[domain.program]]\nstart = \"9s\"\n"
                      "steps = [\"call 1ms\"]\n[[domain]]\n[[domain.program]]\nsteps = [\"call 1ms\"]\n");
  // of two policies, in two figures
  CHECK(count(report.page(), ">no kernels in the measurement</text>") == 4);
}

TEST_CASE("a scenario begins with the table of policies, and what is printed is closed") {
  Report const report("duration = \"50ms\"\n[[domain]]\ncopies = 2\n[[domain.program]]\n"
                      "steps = [\"call 1ms\"]\n");
  std::string const page = report.page();
  std::size_t const table = page.find("<div class=\"summary\"><table>");
  REQUIRE(table != std::string::npos);
  CHECK(table < page.find("<details>"));
  CHECK(table < page.find("<figure>"));
  CHECK_FALSE(has(page, "<details open"));
  CHECK(has(page, "<th scope=\"row\">accc</th><td"));
  CHECK(count(page, " data-value=\"") == 2 * 4);
  CHECK(has(page, "Reproduce with: <code>"));
  CHECK(has(page, "scroll sideways for the rest")); // of a plot on a narrow screen
}

TEST_CASE("the numbers that a figure draws are in the page") {
  Report const report("duration = \"50ms\"\n[[domain]]\nname = \"a,\\\"<b\"\n[[domain.program]]\n"
                      "steps = [\"call 1ms\"]\n");
  std::string const page = report.page();
  CHECK(count(page, "<template>&quot;policy&quot;,") == 7);
  CHECK(has(page, "&quot;wait_p99_us&quot;\n&quot;accc&quot;,&quot;a,&quot;&quot;&lt;b&quot;,"));
  CHECK(count(page, "&quot;accc&quot;,0,&quot;a,&quot;&quot;&lt;b&quot;,") == recorded_intervals);
  CHECK_FALSE(has(page, "\r"));
}

TEST_CASE("the scenario's own text is in the page once, however many values it is run for") {
  std::string const text =
      "vary = [\"1ms\", \"2ms\"]\ntitle = \"calls of $\"\nduration = \"50ms\"\n[[domain]]\n"
      "[[domain.program]]\nsteps = [\"call $\"]\n";
  std::string const page = Report(text).page();
  CHECK(count(page, "[[domain.program]]\nsteps = [&quot;call $&quot;]\n</pre>") == 1);
  CHECK(has(page, "<h2>test, 2ms</h2>\n<p>calls of 2ms</p>"));
}

TEST_CASE("of many domains those with the least progress for their share are drawn by themselves") {
  ScenarioRuns of{.name = "many", .scenario = {}, .runs = std::vector<Run>(2)};
  of.scenario.accelerators.resize(1);
  of.scenario.domains.resize(30);
  for (DomainScenario& domain : of.scenario.domains)
    domain.programs.push_back({.name = "p", .phases = {{.steps = {Step{.kind = Step::Kind::call}}}}});
  of.scenario.domains[3].programs.clear();
  of.scenario.domains[29].accelerator.credits *= 100;
  for (Run& run : of.runs) {
    run.outcome.domains.resize(30);
    run.progress.assign(30, 0.5);
    run.progress[3] = 0;
  }
  for (std::size_t i = 16; i < 29; ++i)
    of.runs[i % 2].progress[i] = 0.1;
  html::Shown const shown(of, {});
  std::vector<std::size_t> expected(html::drawn_domains);
  std::iota(expected.begin(), expected.end(), 16U); // 29 has little for its many credits
  CHECK(shown.drawn() == expected);
  CHECK(shown.css_class(16) == "d0");
  CHECK(shown.css_class(29) == "d6 tint");
  CHECK(shown.css_class(0) == "others");
  CHECK(shown.css_class(30) == "others"); // Dom0
}
