// SPDX-License-Identifier: Apache-2.0
#include "sim/report/trace.h"

#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

using namespace pegasus::sim;

TEST_CASE("a trace has a row for each pCPU and accelerator, and on them what the outcome counts") {
  auto const scenarios =
      parse_scenarios("duration = \"1s\"\nwarm_up = \"0s\"\n[cpus]\ncount = 2\n"
                      "[[domain]]\nname = \"a \\\"quoted\\\" one\"\n[[domain.program]]\n"
                      "steps = [\"cpu 1ms\", \"call 2ms\"]\n"
                      "[[domain]]\nname = \"b\"\n[[domain.program]]\nsteps = [\"cpu 1s\"]\n",
                      "test.toml");
  REQUIRE(scenarios);
  Trace trace;
  auto const runs = run_policies(scenarios->front(), {"accc", "fair"}, 1, &trace);
  REQUIRE(runs);
  auto const events = nlohmann::json::parse(trace.as_json()).at("traceEvents");

  std::map<int, std::string> runs_named;                       // by process
  std::map<int, std::string> rows;                             // by thread
  std::map<std::tuple<int, bool, std::string>, double> ran_us; // by process, "on an accelerator", and name
  std::map<int, double> ends;                                  // of the last span of a row
  for (auto const& event : events) {
    int const process = event.at("pid");
    if (event.at("name") == "process_name") runs_named[process] = event.at("args").at("name");
    if (event.at("name") == "thread_name") rows[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    double const from = event.at("ts");
    double const length = event.at("dur");
    double& end = ends[event.at("tid")];
    CHECK(from >= end - 0.002); // no two at a time in a row; the figures are rounded
    end = from + length;
    ran_us[{process, rows.at(event.at("tid")).starts_with("accelerator"), event.at("name")}] += length;
  }
  CHECK(runs_named == std::map<int, std::string>{{1, "accc"}, {2, "fair"}});
  std::vector<std::string> in_order;
  for (auto const& [thread, row] : rows)
    in_order.push_back(row);
  CHECK(in_order ==
        std::vector<std::string>{"pCPU 0", "pCPU 1", "accelerator 0", "pCPU 0", "pCPU 1", "accelerator 0"});
  for (int const run : {0, 1}) {
    Outcome const& outcome = runs->at(static_cast<std::size_t>(run)).outcome;
    for (DomainOutcome const& domain : outcome.domains) {
      auto const microseconds = [](Nanos time) {
        return std::chrono::duration<double, std::micro>(time).count();
      };
      CHECK(ran_us[{run + 1, false, domain.name}] == Approx(microseconds(domain.cpu)).epsilon(0.001));
      // Also of a kernel that has not ended.
      CHECK(ran_us[{run + 1, true, domain.name}] == Approx(microseconds(domain.device)).margin(1));
    }
  }
  CHECK(ran_us[{1, false, "b"}] == Approx(1e6).epsilon(0.001));
}

TEST_CASE("a trace has the copies of each accelerator on rows of their own") {
  auto const scenarios =
      parse_scenarios("duration = \"1s\"\nwarm_up = \"0s\"\n"
                      "[[accelerator]]\ncopy_engines = 1\n[[accelerator]]\ncopy_engines = 2\n"
                      "[[domain]]\nname = \"a\"\naccelerator = 1\n[[domain.program]]\n"
                      "steps = [\"to_device 1ms\", \"from_device 3ms\"]\n",
                      "test.toml");
  REQUIRE(scenarios);
  Trace trace;
  auto const runs = run_policies(scenarios->front(), {"none"}, 1, &trace);
  REQUIRE(runs);
  std::map<int, double> ran_us; // by row
  auto const document = nlohmann::json::parse(trace.as_json());
  for (auto const& event : document.at("traceEvents"))
    if (event.at("ph") == "X") ran_us[event.at("tid")] += event.at("dur").get<double>();
  // Rows from above: a pCPU, which has next to nothing to do, two accelerators and the first one's copy
  // engine, which are idle, and the copy engines of the second.
  CHECK(ran_us[100'004] == Approx(250'000).epsilon(0.01));
  CHECK(ran_us[100'005] == Approx(750'000).epsilon(0.01));
  for (int const idle : {100'001, 100'002, 100'003})
    CHECK_FALSE(ran_us.contains(idle));
}

TEST_CASE("a trace has Dom0 on the pCPUs that are its own") {
  auto const scenarios =
      parse_scenarios("duration = \"1s\"\nwarm_up = \"0s\"\n[dom0]\nown_pcpus = 1\n"
                      "[[domain]]\n[[domain.program]]\nsteps = [\"cpu 1ms\", \"call 2ms\"]\n",
                      "test.toml");
  REQUIRE(scenarios);
  Trace trace;
  auto const runs = run_policies(scenarios->front(), {"none"}, 1, &trace);
  REQUIRE(runs);
  double ran_us = 0;
  auto const document = nlohmann::json::parse(trace.as_json());
  for (auto const& event : document.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    CHECK((event.at("tid") == 100'001) == (event.at("name") == "Dom0"));
    if (event.at("name") == "Dom0") ran_us += event.at("dur").get<double>();
  }
  CHECK(ran_us > 600'000); // it polls while kernels execute
  CHECK(ran_us == Approx(std::chrono::duration<double, std::micro>(*runs->front().outcome.dom0_cpu).count()));
}

TEST_CASE("a kernel whose program is killed is in the trace up to then") {
  auto const scenarios =
      parse_scenarios("duration = \"1s\"\nwarm_up = \"0s\"\nrunaway = \"100ms\"\n"
                      "[[domain]]\nname = \"endless\"\n[[domain.program]]\nsteps = [\"call 60s\"]\n"
                      "[[domain]]\nname = \"other\"\n[[domain.program]]\nsteps = [\"call 2ms\"]\n",
                      "test.toml");
  REQUIRE(scenarios);
  Trace trace;
  auto const runs = run_policies(scenarios->front(), {"fair"}, 1, &trace);
  REQUIRE(runs);
  DomainOutcome const& endless = runs->front().outcome.domains.front();
  REQUIRE(endless.programs.front().killed);
  double ran_us = 0;
  auto const document = nlohmann::json::parse(trace.as_json());
  for (auto const& event : document.at("traceEvents"))
    if (event.at("name") == "endless" && event.at("tid") == 100001) ran_us += event.at("dur").get<double>();
  CHECK(ran_us == Approx(std::chrono::duration<double, std::micro>(endless.device).count()));
}
