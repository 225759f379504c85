// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/views.h"

#include "control/figure_values.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace pegasus;
using namespace pegasus::ctl;

namespace {

control::Domains two_domains() {
  control::Domains domains;
  domains.set_policy("accc");
  domains.set_mmr(0.98765);
  domains.set_utilization(0.5);
  domains.set_elapsed_ns(2'000'000'000);
  control::Domain& first = *domains.add_domain();
  first.set_name("dom1");
  control::set_figures(first, control::DomainFigures{.credits = 1024,
                                                     .slo = 0.5,
                                                     .cap = 0.8,
                                                     .latency_slice_ns = 2'000'000,
                                                     .memory_limit_bytes = 64 << 20,
                                                     .memory_limited = true,
                                                     .memory_used_bytes = 1 << 20,
                                                     .device_busy_ns = 750'000'000,
                                                     .target_share = 2.0 / 3,
                                                     .received_share = 0.75,
                                                     .calls = 1000,
                                                     .sync_calls_ns = 1'600'000'000,
                                                     .running = true,
                                                     .wanted_ns = 1'700'000'000,
                                                     .waited_ns = 1'500'000'000,
                                                     .slo_periods = 4,
                                                     .slo_violations = 3,
                                                     .debt_ns = 250'000'000,
                                                     .vcpu_running = true,
                                                     .cpu_credit_left_ns = 7'000'000,
                                                     .samples_on_device = 8,
                                                     .samples_on_both = 2,
                                                     .wake_ups_p99_us = 1234.567});
  first.add_task()->set_program("evil\x1b[2J");
  control::Domain& second = *domains.add_domain();
  second.set_name("dom2");
  second.set_accelerator(1);
  // Its memory limit is what is free: it has no limit of its own.
  control::set_figures(second, control::DomainFigures{.credits = 512,
                                                      .memory_limit_bytes = 960 << 20,
                                                      .device_busy_ns = 250'000'000,
                                                      .estimated = true,
                                                      .killed_tasks = 2,
                                                      .barred_ns = 800'000'000});
  domains.set_since("the start");
  return domains;
}

template <class Change> void change(control::Domains& domains, int index, Change change_figures) {
  control::DomainFigures figures = control::figures_of(domains.domain(index));
  change_figures(figures);
  control::set_figures(*domains.mutable_domain(index), figures);
}

} // namespace

TEST_CASE("the table of domains") {
  CHECK(domains_table(two_domains()) ==
        "DOMAIN  CREDITS  TARGET  RECEIVED  CALLS  P99 us  MEMORY  TASKS  ON  STATE\n"
        "dom1       1024  66.7 %    75.0 %   1000     0.0  1M/64M      1   0  running\n"
        "dom2        512   0.0 %    ~0.0 %      0     0.0       0      0   1  barred for 0.800 s\n"
        "policy accc, min-max ratio 0.988, utilization 50.0 %, measured for 2.0 s, since the start\n");
  CHECK(domains_table(two_domains(), {.wide = true}) ==
        "DOMAIN  CREDITS   SLO  MISSED   CAP  TARGET  RECEIVED  DEVICE s  DEBT s  WAITED s  ON CPU  CALLS  "
        "SYNC/s  "
        "P50 us  P99 us  MEMORY  TASKS  ON  STATE\n"
        "dom1       1024  0.50     3/4  0.80  66.7 %    75.0 %     0.750   0.250     1.500  25.0 %   1000    "
        "   0  "
        "   0.0     0.0  1M/64M      1   0  running\n"
        "dom2        512     -       -     -   0.0 %    ~0.0 %    ~0.250   0.000     0.000       -      0    "
        "   0  "
        "   0.0     0.0       0      0   1  barred for 0.800 s\n"
        "policy accc, min-max ratio 0.988, utilization 50.0 %, measured for 2.0 s, since the start\n");
}

TEST_CASE("a domain without figures has no row") {
  control::Domains domains = two_domains();
  domains.add_domain()->set_name("root");
  CHECK(domains_table(domains).find("root") == std::string::npos);
  CHECK(domains_table(domains).find("\nand 1 domain without tasks, settings and share") != std::string::npos);
  CHECK(domains_json(domains)["domains"].size() == 3);
  change(domains, 2, [](auto& figures) { figures.kept = true; });
  CHECK(domains_table(domains).find("\nroot") != std::string::npos);
  CHECK(domains_table(domains).find("no task\npolicy") != std::string::npos);
}

TEST_CASE("a frozen domain is shown as such, with tasks or without") {
  control::Domains domains = two_domains();
  domains.add_domain()->set_name("idle");
  for (int const index : {0, 2})
    change(domains, index, [](auto& figures) { figures.frozen = true; });
  std::string const table = domains_table(domains);
  CHECK(table.find("1M/64M      1   0  frozen\ndom2") != std::string::npos);
  CHECK(table.find("\nidle") < table.find("frozen\npolicy"));
}

TEST_CASE("domains as JSON") {
  Json const json = domains_json(two_domains());
  CHECK(json["policy"] == "accc");
  CHECK(json["mmr"] == 0.9877);
  REQUIRE(json["domains"].size() == 2);
  CHECK(json["domains"][0]["device_busy_ns"] == 750'000'000);
  CHECK(json["domains"][0]["latency_slice_ns"] == 2'000'000);
  CHECK(json["domains"][0]["sync_calls_ns"] == 1'600'000'000);
  CHECK(json["domains"][0]["tasks"][0]["program"] == "evil\x1b[2J");
  CHECK(json["domains"][0]["service"]["slo_violations"] == 3);
  CHECK(json["domains"][0]["service"]["wanted_ns"] == 1'700'000'000);
  CHECK(json["domains"][0]["conduct"]["debt_ns"] == 250'000'000);
  CHECK(json["domains"][1]["conduct"]["killed_tasks"] == 2);
  CHECK(json["domains"][1]["estimated"] == true);
  CHECK(json["domains"][0]["cpu"]["samples_on_both"] == 2);
  CHECK(json["domains"][0]["cpu"]["credit_left_ns"] == 7'000'000);
  CHECK(json["domains"][0]["cpu"]["running"] == true);
  CHECK(json["domains"][0]["cpu"]["wake_ups"]["p99_us"] == 1234.57);
  CHECK(json["domains"][1]["tasks"] == Json::array());
  CHECK(Json::parse(json_text(json)) == json);
}

TEST_CASE("values that are not numbers or text are still JSON") {
  CHECK(json_number(0.0 / 0.0) == 0);
  CHECK(json_number(1e308) == 1e308);
  CHECK_FALSE(Json::parse(json_text(Json{{"a", "\xff"}}), nullptr, false).is_discarded());
}

TEST_CASE("top shows the figures of the time between two samples") {
  control::Domains const before = two_domains();
  control::Domains now = before;
  now.set_elapsed_ns(3'000'000'000);
  change(now, 1, [](auto& figures) {
    figures.device_busy_ns = 500'000'000;
    figures.calls = 40;
  });
  Json const json = top_json(before, now);
  CHECK(json["interval_s"] == 1);
  CHECK(json["domains"][0]["now"]["share"] == 0);
  CHECK(json["domains"][1]["now"]["share"] == 1);
  CHECK(json["domains"][1]["now"]["calls_per_s"] == 40);
  CHECK(top_table(before, now)
            .starts_with("policy accc   utilization 25.0 %   min-max ratio 0.988   2 domains\n"));
}

TEST_CASE("after a reset, or at the first sample, top shows the totals") {
  control::Domains const now = two_domains();
  control::Domains before = now;
  before.set_elapsed_ns(90'000'000'000);
  change(before, 0, [](auto& figures) { figures.device_busy_ns = 80'000'000'000; });
  change(before, 1, [](auto& figures) { figures.device_busy_ns = 10'000'000'000; });
  for (auto const& earlier : {before, control::Domains()}) {
    CHECK(top_json(earlier, now)["interval_s"] == 2);
    CHECK(top_json(earlier, now)["domains"][0]["now"]["share"] == 0.75);
  }
}

TEST_CASE("placements are those of domains that have had a task") {
  control::Domains domains;
  domains.add_domain()->set_name("never");
  control::Domain& placed = *domains.add_domain();
  placed.set_name("g1");
  placed.set_accelerator(1);
  placed.set_placement("0: weight 0.50; 1: weight 1.00");
  CHECK(placements_table(domains) == "DOMAIN  ON  TASKS  WHY\n"
                                     "g1       1      0  0: weight 0.50; 1: weight 1.00\n");
  CHECK(placements_json(domains)["placements"].size() == 1);
  CHECK(placements_json(domains)["placements"][0]["accelerator"] == 1);
  CHECK(placements_json(domains)["placements"][0]["state"] == "placed");
}

TEST_CASE("a domain that waits or was refused is explained, wherever it was before") {
  control::Domains domains;
  control::Domain& waits = *domains.add_domain();
  waits.set_name("g1");
  waits.set_accelerator(1);
  waits.set_placement("0: weight 1.00");
  waits.set_waiting(true);
  waits.set_not_admitted("it needs 48M");
  waits.set_not_admitted_ns(12'400'000'000);
  control::Domain& refused = *domains.add_domain();
  refused.set_name("g2");
  refused.set_not_admitted("it needs 64M");
  refused.set_not_admitted_ns(3'000'000'000);
  CHECK(placements_table(domains) == "DOMAIN  ON  TASKS  WHY\n"
                                     "g1       -      0  waits for 12 s: it needs 48M\n"
                                     "g2       -      0  refused 3 s ago: it needs 64M\n");
  Json const json = placements_json(domains)["placements"];
  CHECK(json[0]["state"] == "waits");
  CHECK(json[0]["for_s"] == 12.4);
  CHECK(json[0]["why"] == "it needs 48M");
  CHECK(json[0]["accelerator"].is_null());
  CHECK(json[1]["state"] == "refused");
}

TEST_CASE("policies, accelerators and the log have one JSON document each") {
  control::Policies policies;
  policies.add_policy()->set_name("none");
  control::Policy& active = *policies.add_policy();
  active.set_name("accc");
  active.set_source("P Alg. 1");
  active.set_active(true);
  active.set_exclusive(true);
  control::Tunable& tick = *active.add_tunable();
  tick.set_name("tick");
  tick.set_value("5ms");
  tick.set_usual("10ms");
  tick.set_range("100us to 1s");
  tick.set_summary("the scheduling tick");
  CHECK(policies_json(policies)["policies"][1]["active"] == true);
  CHECK(policies_json(policies)["policies"][1]["exclusive"] == true);
  CHECK(policies_table(policies) ==
        "   POLICY  SOURCE    SUMMARY  TUNABLES\n   none\n*  accc    P Alg. 1           tick=5ms\n");

  CHECK(policies_json(policies)["policies"][1]["tunables"]["tick"]["value"] == "5ms");
  CHECK(policy_text(active) ==
        "accc (P Alg. 1): \n  tick=5ms: the scheduling tick; 100us to 1s, usually 10ms\n");

  control::Accelerators accelerators;
  accelerators.add_accelerator()->set_compute_capability(75);
  accelerators.mutable_accelerator(0)->set_index(3);
  control::set_figures(*accelerators.mutable_accelerator(0),
                       control::AcceleratorFigures{.pageable_tasks = 2, .switch_cost_ns = 100'000});
  CHECK(accelerators_json(accelerators)["accelerators"][0]["switch_cost_ns"] == 100'000);
  CHECK(accelerators_json(accelerators)["accelerators"][0]["compute_capability"] == "7.5");
  CHECK(accelerators_json(accelerators)["accelerators"][0]["index"] == 3);
  CHECK(accelerators_json(accelerators)["accelerators"][0]["pageable_tasks"] == 2);
  CHECK(accelerators_json(accelerators)["accelerators"][0]["switches"] == 0);
  accelerators.mutable_accelerator(0)->set_kind("cuda"); // which does not count them
  CHECK(accelerators_json(accelerators)["accelerators"][0]["switches"].is_null());
  CHECK(accelerators_json(accelerators)["accelerators"][0]["switching_ns"].is_null());
  CHECK(accelerators_table(accelerators).find("TASKS  PAGEABLE") != std::string::npos);

  control::Log log;
  log.add_entry()->add_domain("dom1");
  log.mutable_entry(0)->add_domain("dom2");
  log.mutable_entry(0)->set_ran_ns(10'000'000);
  log.add_entry()->set_accelerator(1);
  CHECK(log_json(log)["log"][0]["domains"] == Json({"dom1", "dom2"}));
  CHECK(log_json(log)["log"][1]["domains"] == Json::array());
  CHECK(log_table(log) == "  AT s  ON  POLICY  RAN        FOR ms  DEVICE ms  ENDED BY\n"
                          "0.0000   0          dom1,dom2  10.000      0.000\n"
                          "0.0000   1          -           0.000      0.000\n");
}

TEST_CASE("at 80 columns no table has a wider line") {
  control::Domains domains = two_domains();
  domains.mutable_domain(0)->set_name(std::string(30, 'd'));
  change(domains, 0, [](auto& figures) { figures.calls = 123'456'789; });
  domains.mutable_domain(1)->set_not_admitted(
      "domain dom2 needs 300M of accelerator memory; 100M is free; 1 waiting domain before it");
  domains.mutable_domain(1)->set_waiting(true);
  control::Policies policies;
  control::Policy& policy = *policies.add_policy();
  policy.set_name("timeslice-disengaged");
  policy.set_source("NEON (ASPLOS 2014), section 3.2, and what follows");
  policy.set_summary(
      "time slices for programs that do not wait, by their own clocks, and what else there is to say");
  policy.add_tunable()->set_name("longest_wait");
  control::Accelerators accelerators;
  control::Accelerator& accelerator = *accelerators.add_accelerator();
  accelerator.set_name("the CPU of this machine, which executes PTX");
  accelerator.set_policy("eevdf");
  accelerator.set_schedule_source("no hypervisor: how long processes waited for a core");
  control::Log log;
  for (int i = 0; i < 20; ++i)
    log.mutable_entry()->Add()->add_domain(std::string(25, 'e'));
  log.mutable_entry(0)->add_domain(std::string(63, 'f'));
  for (std::size_t const columns : {std::size_t{66}, std::size_t{80}, std::size_t{100}}) {
    Shown const shown{.columns = columns};
    for (std::string const& text :
         {domains_table(domains, shown), top_table({}, domains, shown), placements_table(domains, shown),
          policies_table(policies, shown), accelerators_table(accelerators, shown), log_table(log, shown)}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);)
        CHECK(line.size() <= columns);
    }
  }
  CHECK(domains_table(domains, {.columns = 80}).ends_with("; --wide shows all\n"));
}
