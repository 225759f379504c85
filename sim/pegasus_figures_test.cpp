// SPDX-License-Identifier: Apache-2.0
// What docs/evaluation/pegasus.md says is so.
#include "sim/testing/builtin_runs.h"

#include <chrono>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

namespace {

double mean_work(Run const& run) { return values_of(Measure::mean_work, run).front(); }

} // namespace

TEST_CASE("Pegasus, figure 4: time slices gain where a change of context costs, and only there") {
  std::vector<std::string> const policies{"none", "xc", "xc hold=10ms", "slaf", "augc", "lead"};
  auto const free = results_of("pegasus-fig4-bs", "0ms", policies);
  auto const dear = results_of("pegasus-fig4-bs", "1ms", policies);
  for (std::size_t i = 1; i < policies.size(); ++i) {
    INFO(policies[i]);
    CHECK(mean_work(free[i]) < 1.01 * mean_work(free[0]));
    CHECK(mean_work(dear[i]) > 1.1 * mean_work(dear[0]));
  }
}

TEST_CASE(
    "Pegasus, figure 4: with VMs that sleep while they wait it does not matter that they share a core") {
  std::vector<std::string> const policies{"none", "xc", "slaf", "augc", "cosched"};
  auto const shared = results_of("pegasus-fig4-bs", "1ms", policies);
  auto const own = results_of("pegasus-fig4-cores", "1ms", policies);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    INFO(policies[i]);
    CHECK(mean_work(shared[i]) == Approx(mean_work(own[i])).epsilon(0.01));
  }
}

TEST_CASE(
    "Pegasus, figure 4: VMs that poll lose without coordination what they do not lose with a core each") {
  std::vector<std::string> const policies{"credit-poll", "strict-co"};
  auto const shared = results_of("pegasus-fig4-bs", "1ms", policies);
  auto const own = results_of("pegasus-fig4-cores", "1ms", policies);
  CHECK(mean_work(shared[0]) < 0.65 * mean_work(own[0]));
  CHECK(mean_work(shared[1]) > 1.5 * mean_work(shared[0]));
  CHECK(mean_work(shared[1]) > 0.95 * mean_work(own[0]));
}

TEST_CASE("Pegasus, figure 4: of two contexts on a device none waits when it changes between them") {
  Scenario contended = builtin_variant("pegasus-fig4-bs", "100us");
  std::vector<std::string> const policies{"none", "xc", "augc"};
  auto const before = results_of(contended, policies);
  for (Engine::Options& each : contended.accelerators)
    each.contention = std::chrono::seconds(1);
  auto const after = results_of(contended, policies);
  for (std::size_t i = 0; i < policies.size(); ++i)
    CHECK(after[i].work == before[i].work);
}

TEST_CASE(
    "Pegasus, figure 5: the domain with most of the credits does most of the work, and latency follows") {
  for (Run const& run :
       results_of("pegasus-fig5-bs", "1ms", {"xc", "xc hold=10ms", "slaf", "augc", "lead"})) {
    INFO(run.policy);
    CHECK(run.work[2] > 1.3 * run.work[0]); // dom3 has 1024, dom1 256 on the same GPU
    CHECK(run.work[1] > 1.2 * run.work[3]); // dom2 512, dom4 256
    CHECK(run.outcome.domains[2].wait_mean_us < run.outcome.domains[0].wait_mean_us);
    CHECK(run.outcome.domains[1].wait_mean_us < run.outcome.domains[3].wait_mean_us);
  }
}

TEST_CASE("Pegasus, figure 7: where contention costs, fewer contexts at a time do more") {
  auto const runs = results_of("pegasus-fig7-contention", "1ms", {"none", "slaf", "augc", "cosched"});
  for (std::size_t i = 1; i < runs.size(); ++i) {
    INFO(runs[i].policy);
    CHECK(runs[i].work[0] > 1.3 * runs[0].work[0]);
    CHECK(runs[i].work[2] > 1.3 * runs[0].work[2]);
  }
}

TEST_CASE("Pegasus, figure 3c: slices that are held spare a program that waits for each call most changes") {
  auto const runs = results_of("pegasus-fig3c-fwt", "1ms", {"none", "rr", "rr hold=10ms"});
  for (std::size_t domain : {0U, 1U}) {
    CHECK(runs[1].progress[domain] == Approx(runs[0].progress[domain]).epsilon(0.05));
    CHECK(runs[2].progress[domain] > 1.5 * runs[0].progress[domain]);
  }
}

TEST_CASE(
    "Pegasus, figure 8: CPU credits count for a program that waits for each call only if slices are held") {
  auto const runs = results_of("pegasus-fig8-unequal", "1ms", {"xc", "xc hold=10ms"});
  auto const wait = [](Run const& run, std::size_t domain) {
    return run.outcome.domains[domain].wait_mean_us;
  };
  CHECK(wait(runs[0], 2) == Approx(wait(runs[0], 0)).epsilon(0.01));
  CHECK(wait(runs[1], 2) < 0.5 * wait(runs[1], 0));
}

TEST_CASE("Pegasus, figure 9: scheduling is not always effective") {
  auto const runs = results_of("pegasus-fig9-cp", "1ms",
                               {"none", "rr", "xc", "xc hold=10ms", "slaf", "augc", "cosched", "lead"});
  for (Run const& run : runs) {
    INFO(run.policy);
    CHECK(mean_work(run) == Approx(mean_work(runs.front())).epsilon(0.05));
  }
}

// policies/pegasus_ticks.h
TEST_CASE(
    "Pegasus, figures 3c and 4: by the paper's own rule too, slices gain where a change costs, most where "
    "calls are many") {
  auto const free = results_of("pegasus-fig4-bs", "0ms", {"none", "pegasus-xc"});
  CHECK(mean_work(free[1]) == Approx(0.91 * mean_work(free[0])).epsilon(0.01));
  auto const dear = results_of("pegasus-fig4-bs", "1ms", {"none", "pegasus-xc", "pegasus-xc tick=30ms"});
  CHECK(mean_work(dear[1]) == Approx(1.24 * mean_work(dear[0])).epsilon(0.01));
  CHECK(mean_work(dear[2]) == Approx(1.30 * mean_work(dear[0])).epsilon(0.01));
  auto const dearer = results_of("pegasus-fig4-bs", "3ms", {"none", "pegasus-xc tick=30ms"});
  CHECK(mean_work(dearer[1]) == Approx(2.03 * mean_work(dearer[0])).epsilon(0.01));
  auto const saved = [](std::string_view name, std::string const& policy) {
    auto const runs = results_of(name, "1ms", {"none", policy});
    return 1 - runs[0].progress[0] / runs[1].progress[0];
  };
  CHECK(saved("pegasus-fig3c-fwt", "pegasus-xc") == Approx(0.39).margin(0.01));
  CHECK(saved("pegasus-fig3c-bs", "pegasus-xc") == Approx(0.20).margin(0.01));
  CHECK(saved("pegasus-fig3c-cp", "pegasus-xc") == Approx(0).margin(0.01));
  CHECK(saved("pegasus-fig3c-cp", "pegasus-xc tick=30ms") == Approx(0.05).margin(0.012));
}

TEST_CASE("Pegasus, figure 4: by the paper's own rule, coordination pays only where VMs poll") {
  for (std::string const policy : {"pegasus-augc", "pegasus-cosched"})
    for (std::string_view const layout : {"pegasus-fig4-bs", "pegasus-fig4-cores"}) {
      INFO(policy << " " << layout);
      auto const runs = results_of(layout, "1ms", {"pegasus-xc", policy});
      CHECK(mean_work(runs[1]) == Approx(1.02 * mean_work(runs[0])).epsilon(0.01));
    }
  auto const polling =
      results_of("pegasus-fig4-spin", "1ms",
                 {"none", "pegasus-xc", "pegasus-cosched", "pegasus-augc", "pegasus-augc tick=30ms"});
  CHECK(mean_work(polling[2]) > 1.7 * mean_work(polling[1]));
  CHECK(mean_work(polling[3]) < 1.15 * mean_work(polling[1]));
  CHECK(mean_work(polling[4]) > 1.7 * mean_work(polling[1]));
  for (std::size_t i = 1; i < polling.size(); ++i)
    CHECK(mean_work(polling[i]) < mean_work(polling[0]));
}

TEST_CASE("Pegasus, figures 5 and 6: by the paper's own rule dom3 does 2.4 times the work, and dom4 gains "
          "nothing") {
  auto const credits =
      results_of("pegasus-fig5-bs", "1ms", {"none", "pegasus-xc", "pegasus-cosched", "pegasus-augc"});
  CHECK(credits[1].work[2] == Approx(2.1 * credits[0].work[2]).epsilon(0.01));
  CHECK(credits[2].work[2] == Approx(2.4 * credits[0].work[2]).epsilon(0.01));
  CHECK(credits[3].work[2] == Approx(2.5 * credits[0].work[2]).epsilon(0.01));
  auto const unequal =
      results_of("pegasus-fig6-bs", "1ms", {"none", "pegasus-xc", "pegasus-augc", "pegasus-cosched"});
  for (std::size_t i = 1; i < unequal.size(); ++i)
    CHECK(unequal[i].work[3] < 0.65 * unequal[0].work[3]);
}
