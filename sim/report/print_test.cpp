// SPDX-License-Identifier: Apache-2.0
#include "sim/report/print.h"

#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace pegasus::sim;

namespace {

ScenarioRuns runs_of(std::string const& text, std::vector<std::string> const& policies, Seeds seeds = {}) {
  auto const scenarios = parse_scenarios(text, "test");
  REQUIRE(scenarios);
  auto const runs = run_seeds("s", scenarios->front(), policies, seeds, nullptr);
  REQUIRE(runs);
  return *runs;
}

std::string const busy = "duration = \"200ms\"\n[[domain]]\nname = \"a,\\\"b\"\n[[domain.program]]\n"
                         "steps = [\"call 2ms\", \"cpu 100us\"]\nspread = 0.3\n";
std::string const idle_scenario =
    "duration = \"200ms\"\n[[domain]]\n[[domain.program]]\nsteps = [\"cpu 1ms\"]\n";

nlohmann::json first_run(ScenarioRuns const& of) {
  return nlohmann::json::parse(as_json({&of, 1}))["runs"][0];
}

std::size_t occurrences(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("the table of policies stands before the tables of each") {
  ScenarioRuns const of = runs_of(busy + idle_scenario.substr(idle_scenario.find('[')), {"fair", "none"});
  std::string const text = as_table({&of, 1});
  CHECK_THAT(text,
             Catch::StartsWith("policy  min-max ratio   overhead   progress sum   worst p99 wait\nfair  "));
  CHECK(text.find("\nnone  ") < text.find("\nfair: min-max ratio "));
  CHECK_THAT(text, Catch::Contains("overhead: accelerators over the sum of progress; less than 1 is better"));
  CHECK_THAT(text, Catch::Contains(" ms\n"));
}

TEST_CASE("a domain and a run without kernels show no numbers") {
  ScenarioRuns const of = runs_of(idle_scenario, {"fair"});
  std::string const text = as_table({&of, 1});
  CHECK_THAT(text, Catch::Contains("\nfair: min-max ratio -, overhead -\n"));
  CHECK_THAT(text,
             Catch::Contains("  d1          256      -         -          -  100.0%         -         -\n"));
  CHECK_THAT(text, !Catch::Contains("1.000"));
  auto const json = first_run(of);
  CHECK(json["mmr"].is_null());
  CHECK(json["overhead"].is_null());
  CHECK(json["shows"]["min-max ratio"][0].is_null());
}

TEST_CASE("JSON has means and intervals only if there are seeds") {
  CHECK_FALSE(first_run(runs_of(busy, {"fair"})).contains("seeds"));
  auto const seeds = first_run(runs_of(busy, {"fair"}, {.first = 3, .count = 4}))["seeds"];
  CHECK(seeds["count"] == 4);
  CHECK(seeds["random"] == true);
  CHECK(seeds["progress_sum"]["mean"] == seeds["domains"][0]["progress"]["mean"]);
  CHECK(seeds["worst_wait_p99_us"]["mean"] > 2000);
  CHECK(seeds["domains"][0]["progress"]["interval"].is_number());
  CHECK(first_run(runs_of(busy, {"fair"}, {.first = 3, .count = 1}))["seeds"]["overhead"]["interval"]
            .is_null());
}

TEST_CASE("CSV has a row for each policy, seed and domain") {
  ScenarioRuns const of =
      runs_of(busy + "[[domain]]\nname = \"b\"\n", {"fair", "none"}, {.first = 3, .count = 4});
  std::string const text = as_csv({&of, 1});
  CHECK_THAT(text, Catch::StartsWith("\"scenario\",\"vary\",\"set\",\"policy\",\"seed\","));
  CHECK(occurrences(text, "\r\n") == 1 + 2 * 4 * 2);
  CHECK(occurrences(text, "\r\n\"s\",\"\",\"\",\"none\",5,0.2,\"a,\"\"b\",") == 1);
  CHECK(occurrences(text, ",\"b\",256,0,0,0,0,0,0,0,,,,,") == 8); // no kernels, no waits
}
