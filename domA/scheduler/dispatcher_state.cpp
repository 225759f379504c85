// SPDX-License-Identifier: Apache-2.0
// A Dispatcher as data. Each part names what it keeps in a function visit(); the records of domains and tasks are messages
// of their own, and so is the policy.
#include "domA/scheduler/dispatcher.h"
#include "domA/state/fields_reader.h"
#include "domA/state/fields_writer.h"
#include "domA/state/version.h"
#include "policies/state_of_view.h"

#include <algorithm>

namespace pegasus::scheduler {

namespace {

void visit_domain(DomainRecord& domain, Records& records, policies::StateVisitor& state) {
  domain.visit(state);
  state.field_with("slices", domain.tasks, records);
}

} // namespace

void Dispatcher::visit(policies::StateVisitor& state) {
  state.field("rules", state_);
  state.field("gate", gate_);
  state.field("charging", charging_);
  state.field("log", log_);
  state.field("lease", lease_);
  state.field("kicked", kicked_);
  state.field("reset_at", reset_at_);
  state.field("host_read_at", host_read_at_);
  state.field("shared_read_at", shared_read_at_);
  state.field("shared_busy", shared_busy_);
  state.field("shared_used", shared_used_);
  state.field("switched", switched_);
  state.field("reserved", reserved_);
  state.field("changing", changing_);
  state.field("run_since", run_since_);
  visit_wake(state);
}

// Of the next point's Actions there are between two calls only the gates that were opened again.
void Dispatcher::visit_wake(policies::StateVisitor& state) {
  std::vector<TaskId> wake;
  for (std::atomic<std::uint32_t> const* const word : actions_.wake)
    for (auto const& [id, task] : state_.records.tasks())
      if (&gate_.word(id) == word) wake.push_back(id);
  state.field("wake", wake);
  if (!state.restoring()) return;
  for (TaskId const id : wake) {
    bool const known = state_.records.find(id) != nullptr;
    state.require(known, "wake");
    if (known) actions_.wake.push_back(&gate_.word(id));
  }
}

void Dispatcher::save(state::Dispatcher& out) const {
  auto& self = const_cast<Dispatcher&>(*this); // a FieldsWriter changes nothing
  out.Clear();
  out.set_version(state::version);
  out.set_clock_at_zero_ns(state_.clock_at_zero.count());
  out.set_decided_by(std::string(decided_by_));
  state::Policy& policy = *out.mutable_policy();
  policy.set_name(std::string(state_.entry->name));
  state::FieldsWriter tunables(*policy.mutable_tunables());
  policies::visit(self.state_.tunables, tunables);
  state::FieldsWriter accounts(*policy.mutable_fields());
  state_.policy->visit(accounts);
  state::FieldsWriter fields(*out.mutable_fields());
  self.visit(fields);
  for (auto& [id, record] : self.state_.records.domains()) {
    state::Domain& domain = *out.add_domains();
    domain.set_id(id);
    state::FieldsWriter writer(*domain.mutable_fields());
    visit_domain(record, self.state_.records, writer);
  }
  for (auto& [id, record] : self.state_.records.tasks()) {
    state::Task& task = *out.add_tasks();
    task.set_id(id);
    task.set_domain(record.domain->id);
    state::FieldsWriter writer(*task.mutable_fields());
    record.visit(writer);
  }
}

tl::expected<std::unique_ptr<Dispatcher>, std::string>
Dispatcher::restore(Setup const& setup, state::Dispatcher const& from, PagesOf const& pages_of) {
  if (from.version() != state::version)
    return tl::unexpected("the scheduler's state is of version " + std::to_string(from.version()) +
                          ", and this pegasusd reads version " + std::to_string(state::version));
  if (from.clock_at_zero_ns() != setup.clock_at_zero.count())
    return tl::unexpected(std::string("the scheduler's state is of another clock"));
  Setup same = setup;
  same.policy = policies::find(from.policy().name());
  if (same.policy == nullptr)
    return tl::unexpected("the scheduler's state is of policy \"" + from.policy().name() +
                          "\", which this pegasusd does not have");
  std::string refused;
  state::FieldsReader tunables(from.policy().tunables(), "tunables", refused);
  policies::visit(same.tunables, tunables);
  if (!refused.empty()) return tl::unexpected("the scheduler's state is refused: " + refused);
  auto dispatcher = std::make_unique<Dispatcher>(same);
  dispatcher->restore_records(from, pages_of, refused);
  if (refused.empty()) dispatcher->restore_policy(from, refused);
  if (!refused.empty()) return tl::unexpected("the scheduler's state is refused: " + refused);
  return dispatcher;
}

// Tasks before their domains' fields, which name one of them; both before what the rules keep.
void Dispatcher::restore_records(state::Dispatcher const& from, PagesOf const& pages_of,
                                 std::string& refused) {
  for (state::Domain const& domain : from.domains())
    (void)charging_.record_of(domain.id());
  for (state::Task const& saved : from.tasks()) {
    std::string const name = "task " + std::to_string(saved.id());
    DomainRecord* const domain = state_.records.find(DomainId(saved.domain()));
    std::optional<Pages> const pages = pages_of(saved.id());
    if (domain == nullptr || !pages || state_.records.find(TaskId(saved.id())) != nullptr) {
      refused = name + (domain == nullptr ? " has no domain" : !pages ? " has no pages" : " is there twice");
      return;
    }
    TaskRecord& task = state_.records.add(saved.id(), *domain);
    task.usage_page = pages->usage;
    gate_.restore(saved.id(), *pages->gate, *pages->usage);
    state::FieldsReader reader(saved.fields(), name, refused);
    task.visit(reader);
    domain->tasks.restore(task);
  }
  for (state::Domain const& saved : from.domains()) {
    std::string const name = "domain " + std::to_string(saved.id());
    state::FieldsReader reader(saved.fields(), name, refused);
    visit_domain(state_.records.at(DomainId(saved.id())), state_.records, reader);
  }
  for (auto& [id, task] : state_.records.tasks())
    monitor::UsageMeter::restore(task.metered, task.domain->usage);
  state::FieldsReader reader(from.fields(), "dispatcher", refused);
  visit(reader);
}

// A policy that names nothing is a new one.
void Dispatcher::restore_policy(state::Dispatcher const& from, std::string& refused) {
  if (policies::Entry const* const decided = policies::find(from.decided_by())) decided_by_ = decided->name;
  if (from.policy().fields().field().empty()) return state_.views.begin_anew();
  auto const seen = state_.views.seen();
  std::string const name = "policy " + from.policy().name();
  state::FieldsReader reader(from.policy().fields(), name, refused,
                             seen ? std::optional<std::span<DomainId const>>(*seen) : std::nullopt);
  state_.policy->visit(reader);
}

} // namespace pegasus::scheduler
