// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/view_builder.h"

#include "domA/state/fields_reader.h"
#include "domA/state/fields_writer.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

constexpr ViewBuilder::Standing usual{.now = Time{},
                                      .calling_vcpu = 0,
                                      .average_wait = 0ns,
                                      .barred = false,
                                      .capped = false,
                                      .in_debt = false};

monitor::DomainUsage one_task() {
  monitor::DomainUsage usage;
  usage.tasks = 1;
  return usage;
}

} // namespace

TEST_CASE("what operators say of a domain is what a policy sees of it") {
  ViewBuilder builder(nullptr);
  builder.set(7, {.credits = 512, .slo = 0.5, .latency_slice = 2ms}, one_task(), usual);
  policies::View const view = builder.view(false, Time{}, Time{1s});
  REQUIRE(view.domains.size() == 1);
  CHECK_FALSE(view.changed);
  policies::DomainView const& domain = view.domains[0];
  CHECK(domain.id == 7);
  CHECK(domain.credits == 512);
  CHECK(domain.slo == 0.5);
  CHECK(domain.latency_slice == 2ms);
}

TEST_CASE("the CPU weight that a domain has by the CPU schedule outlasts what is set of it") {
  struct Cpus final : CpuSchedule {
    policies::CpuState read(Caller const&, Time) override { return {.weight = 128}; }
  } cpus;
  ViewBuilder builder(&cpus);
  builder.set(7, {}, one_task(), usual);
  CHECK(builder.view(true, Time{}, Time{1s}).domains[0].cpu.weight == 128);
  builder.set(7, {.credits = 512}, one_task(), usual);
  REQUIRE(builder.find(7) != nullptr);
  CHECK(builder.find(7)->cpu.weight == 128);
  CHECK(builder.find(8) == nullptr);
}

TEST_CASE("a setting that changes is a change of its domain, and one that does not is none") {
  ViewBuilder builder(nullptr);
  builder.set(7, {}, one_task(), usual);
  builder.set(9, {}, one_task(), usual);
  CHECK_FALSE(builder.view(false, Time{}, Time{1s}).changed);
  builder.set(7, {}, one_task(), usual);
  builder.set(9, {.latency_slice = 500us}, one_task(), usual);
  policies::View const view = builder.view(false, Time{}, Time{2s});
  REQUIRE(view.changed);
  CHECK(std::vector(view.changed->begin(), view.changed->end()) == std::vector<std::uint32_t>{1});
  CHECK(view.domains[1].latency_slice == 500us);
}

TEST_CASE("what changed before a domain left is not kept") {
  ViewBuilder builder(nullptr);
  builder.set(7, {}, one_task(), usual);
  builder.set(9, {}, one_task(), usual);
  (void)builder.view(false, Time{}, Time{1s});
  builder.set(9, {.credits = 512}, one_task(), usual);
  builder.set(7, {}, {}, usual); // 9 has another place now
  state::Fields saved;
  state::FieldsWriter writer(saved);
  builder.visit(writer);
  ViewBuilder restored(nullptr);
  std::string refused;
  state::FieldsReader reader(saved, "views", refused);
  restored.visit(reader);
  CHECK(refused.empty());
  policies::View const view = restored.view(false, Time{}, Time{2s});
  CHECK_FALSE(view.changed);
  REQUIRE(view.domains.size() == 1);
  CHECK(view.domains[0].credits == 512);
}

TEST_CASE("a domain without tasks is seen while it is in debt") {
  ViewBuilder builder(nullptr);
  ViewBuilder::Standing standing = usual;
  standing.in_debt = true;
  builder.set(7, {.latency_slice = 2ms}, {}, standing);
  CHECK(builder.view(false, Time{}, Time{1s}).domains.size() == 1);
  builder.set(7, {.latency_slice = 2ms}, {}, usual);
  CHECK(builder.view(false, Time{}, Time{2s}).domains.empty());
}
