// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/report.h"

#include "control/figure_values.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::ctl;

namespace {

constexpr Ended exit_0{0};
constexpr Ended exit_1{1 << 8};
constexpr char good_output[] = "black_scholes: 1000 options\n"
                               "result: {\"workload\":\"black_scholes\",\"work\":5000,\"unit\":\"options\","
                               "\"seconds\":2.0,\"verified\":true}\n"
                               "PASS\n";

RunReport canned() {
  std::vector<DemoDomain> const domains{{"dom1", 1024, "black_scholes", {}},
                                        {"dom2", 512, "black_scholes", {}}};
  control::Domains measured;
  measured.set_mmr(0.98123456);
  measured.set_utilization(0.97);
  control::Domain& second = *measured.add_domain(); // the daemon's order differs
  second.set_name("dom2");
  control::set_figures(second, control::DomainFigures{.received_share = 0.35});
  control::Domain& first = *measured.add_domain();
  first.set_name("dom1");
  control::set_figures(first, control::DomainFigures{.target_share = 2.0 / 3,
                                                     .received_share = 0.65,
                                                     .latency_p50_us = 3.25,
                                                     .latency_p99_us = 40});
  return make_report("accc", domains, measured,
                     {read_outcome(good_output, exit_0), read_outcome("FAIL: wrong\n", exit_1)});
}

} // namespace

TEST_CASE("the report's JSON has the documented keys and no others") {
  CHECK(json_text(report_json({canned()}), -1) ==
        R"({"runs":[{"policy":"accc","mmr":0.9812,"utilization":0.97,"domains":[)"
        R"({"domain":"dom1","credits":1024,"target_share":0.6667,"received_share":0.65,"work_per_s":2500.0,)"
        R"("unit":"options","latency_us":{"p50":3.25,"p99":40.0},"verified":true},)"
        R"({"domain":"dom2","credits":512,"target_share":0.0,"received_share":0.35,"work_per_s":0.0,)"
        R"("unit":"","latency_us":{"p50":0.0,"p99":0.0},"verified":false}]}]})");
  CHECK(report_json({}) == Json::parse(R"({"runs":[]})"));
}

TEST_CASE("the report's table") {
  CHECK(report_text(canned()) ==
        "policy accc: min-max ratio 0.981 (1: each domain got its share exactly), device utilization 97.0 %\n"
        "DOMAIN  CREDITS  TARGET  RECEIVED  options/s  CALL p50 us  p99 us  VERIFIED\n"
        "dom1       1024  66.7 %    65.0 %     2500.0          3.2    40.0  yes\n"
        "dom2        512   0.0 %    35.0 %        0.0          0.0     0.0  NO\n");
}

TEST_CASE("a run is verified when all its domains are") {
  RunReport run = canned();
  CHECK_FALSE(run.verified());
  run.domains.pop_back();
  CHECK(run.verified());
  run.domains.clear();
  CHECK_FALSE(run.verified());
}

TEST_CASE("a program's word counts only with its PASS and its exit status") {
  Outcome const good = read_outcome(good_output, exit_0);
  CHECK(good.verified);
  CHECK(good.work_per_s == 2500);
  CHECK(good.unit == "options");
  std::string const output = good_output;
  CHECK_FALSE(read_outcome(output, exit_1).verified);
  CHECK_FALSE(read_outcome(output, Ended{9}).verified);
  CHECK(read_outcome(output, Ended{9}).problem == "it was killed by signal 9");
  CHECK_FALSE(read_outcome(output.substr(0, output.size() - 5), exit_0).verified); // no PASS
  CHECK_FALSE(read_outcome("PASS\n", exit_0).verified);                            // no result
  CHECK_FALSE(read_outcome("result: {\"verified\":false}\nPASS\n", exit_0).verified);
}

TEST_CASE("malformed results are not verified") {
  for (char const* const line :
       {"result: ", "result: {", "result: []", "result: 5", "result: {\"work\":\"x\"}",
        "result: {\"work\":1,\"seconds\":0,\"verified\":1}"}) {
    Outcome const outcome = read_outcome(line, exit_0);
    CHECK_FALSE(outcome.verified);
    CHECK(outcome.work_per_s == 0);
  }
}

TEST_CASE("the demonstration's domains") {
  auto const plain = demo_domains(false, 10);
  REQUIRE(plain.size() == 4);
  CHECK(plain[0].credits == 1024);
  CHECK(plain[2].credits == 256);
  for (DemoDomain const& domain : plain) {
    CHECK(domain.program == "black_scholes");
    CHECK(domain.arguments == std::vector<std::string>{"--seconds", "10.000"});
  }
  auto const mixed = demo_domains(true, 10);
  CHECK(mixed[0].arguments == std::vector<std::string>{"--seconds", "10.000", "--microseconds", "500"});
  CHECK(mixed[3].arguments == std::vector<std::string>{"--seconds", "10.000", "--microseconds", "10000"});
}

TEST_CASE("lists of policies") {
  CHECK(split_policies("none,accc") == std::vector<std::string>{"none", "accc"});
  CHECK(split_policies("accc") == std::vector<std::string>{"accc"});
  CHECK(split_policies("a,,") == std::vector<std::string>{"a", "", ""});
}
