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
