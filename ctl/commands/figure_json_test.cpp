// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/figure_json.h"

#include "control/figure_values.h"
#include "ctl/commands/views.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::ctl;

TEST_CASE("scripts find these keys of a domain, in this order and of these types") {
  control::Domains domains;
  domains.add_domain()->add_task();
  CHECK(
      json_text(domains_json(domains)["domains"][0], -1) ==
      R"({"name":"","id":0,"credits":0,"slo":0.0,"cap":0.0,"latency_slice_ns":0,"memory_limit_bytes":0,)"
      R"("memory_limited":false,"memory_used_bytes":0,"placement":"","host_memory_bytes":0,)"
      R"("host_memory_limit_bytes":0,"device_busy_ns":0,"host_busy_ns":0,)"
      R"("copied_bytes":0,"estimated":false,)"
      R"("target_share":0.0,"received_share":0.0,"calls":0,"sync_calls":0,"sync_calls_ns":0,)"
      R"("sync_calls_per_s":0.0,"latency_us":{"p50":0.0,"p99":0.0},"accelerator":0,"kept":false,"frozen":false,)"
      R"("running":false,"service":{"wanted_ns":0,"waited_ns":0,"average_wait_ns":0,)"
      R"("requests_waiting":0,"utilization":0.0,"slo_periods":0,"slo_violations":0},)"
      R"("conduct":{"debt_ns":0,"killed_tasks":0,"barred_ns":0,"capped":false},)"
      R"("cpu":{"vcpu":0,"running":false,"credit_left_ns":0,"weight":0,"samples_on_device":0,)"
      R"("samples_on_both":0,"wake_ups":{"ran_already":0,"waited":0,"woken":0,"p50_us":0.0,"p99_us":0.0}},)"
      R"("tasks":[{"id":0,"pid":0,"program":"","device_busy_ns":0,"calls":0,"memory_bytes":0,)"
      R"("gate_open":false,"worker_pid":0}]})");
}

TEST_CASE("a figure has as many decimals as are significant") {
  control::Domains domains;
  control::set_figures(*domains.add_domain(), control::DomainFigures{.device_busy_ns = UINT64_MAX,
                                                                     .target_share = 0.123456,
                                                                     .sync_calls_per_s = 0.123456,
                                                                     .latency_p50_us = 0.123456});
  Json const json = domains_json(domains)["domains"][0];
  CHECK(json["device_busy_ns"] == UINT64_MAX);
  CHECK(json["target_share"] == 0.1235);
  CHECK(json["sync_calls_per_s"] == 0.1);
  CHECK(json["latency_us"]["p50"] == 0.12);
}
