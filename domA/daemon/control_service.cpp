// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/control_service.h"

#include "control/only_shows.h"
#include "control/quantity.h"
#include "domA/daemon/descriptions.h"
#include "domA/guests/xen/attach.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

namespace pegasus::daemon {

void ControlService::answer(control::Request const& request, Respond respond) {
  if (request.has_describe()) return describe(request.describe(), std::move(respond));
  if (request.has_freeze()) return freeze(request.freeze(), true, respond);
  if (request.has_thaw()) return freeze(request.thaw(), false, respond);
  control::Reply reply;
  answer_now(request, reply);
  respond(reply);
}

void ControlService::answer_now(control::Request const& request, control::Reply& reply) {
  using control::Request;
  switch (request.what_case()) {
  case Request::kVersion:
    return report_.version(parts_.workers_lack, reply);
  case Request::kPolicies:
    return report_.policies(reply);
  case Request::kDomains:
    return report_.domains(reply);
  case Request::kAccelerators:
    return report_.accelerators(reply);
  case Request::kLog:
    return report_.log(request.log().entries(), reply);
  default:
    if (auto const changed = change(request, reply); !changed) control::put(changed.error(), reply);
  }
}

control::RequestOutcome ControlService::change(control::Request const& request, control::Reply& reply) {
  using control::Request;
  reply.mutable_done();
  switch (request.what_case()) {
  case Request::kPolicy:
    if (!control::only_shows(request))
      if (auto const switched = switch_policy(request.policy()); !switched) return switched;
    report_.policy(reply);
    return {};
  case Request::kSetDomain:
    return change_domain(request.set_domain(), *reply.mutable_done());
  case Request::kRemove:
    return remove_domain(request.remove());
  case Request::kAttach:
    return attach(request.attach());
  case Request::kDetach:
    return detach(request.detach());
  case Request::kResetStatistics:
    parts_.accelerators.count_since("a reset");
    return {};
  case Request::kShutdown:
    return end_at_request();
  default:
    return control::bad_request("this pegasusd does not know the request; is the control tool newer?");
  }
}

// Answers when the last task has, or has been waited for.
void ControlService::describe(control::Describe const& wanted, Respond respond) {
  auto const reply = std::make_shared<control::Reply>();
  Domain const* const domain = parts_.domains.named(wanted.domain());
  if (domain == nullptr) {
    control::put({control::BAD_REQUEST, no_such_domain(wanted.domain())}, *reply);
    return respond(*reply);
  }
  auto& description = *reply->mutable_description();
  std::vector<Task const*> tasks;
  parts_.sessions.for_each_of(*domain, [&](Task const& task) { tasks.push_back(&task); });
  if (tasks.empty()) return respond(*reply);
  for (Task const* const task : tasks) {
    control::DescribedTask& described = *description.add_task();
    described.set_id(task->id);
    described.set_pid(static_cast<std::uint32_t>(task->peer.pid));
    described.set_program(task->program);
  }
  auto const left = std::make_shared<std::size_t>(tasks.size());
  for (std::size_t index = 0; index < tasks.size(); ++index)
    daemon::describe(parts_.io, parts_.sessions.orders(), *tasks[index], [=](Described const& holdings) {
      control::DescribedTask& described =
          *reply->mutable_description()->mutable_task(static_cast<int>(index));
      if (holdings)
        *described.mutable_holdings() = *holdings;
      else
        described.set_error(holdings.error());
      if (--*left == 0) respond(*reply);
    });
}

void ControlService::freeze(control::Freeze const& wanted, bool frozen, Respond const& respond) {
  Freezer::Then const then = [respond](Freezer::Outcome const& outcome) {
    control::Reply reply;
    if (outcome)
      reply.mutable_done()->set_notice(*outcome);
    else
      control::put(outcome.error(), reply);
    respond(reply);
  };
  Domain* const domain = parts_.domains.named(wanted.domain());
  if (domain == nullptr) return then(control::bad_request(no_such_domain(wanted.domain())));
  frozen ? parts_.freezer.freeze(*domain, then) : parts_.freezer.thaw(*domain, then);
}

control::RequestOutcome ControlService::serves_xen() const {
  if (parts_.xen) return {};
  return control::could_not(
      "this pegasusd serves no guests of Xen: it does not run on a Xen host, or was started with --no-xen");
}

control::RequestOutcome ControlService::attach(control::Attach const& wanted) {
  if (auto const served = serves_xen(); !served) return served;
  control::Settings settings;
  if (!wanted.configuration().empty()) {
    auto const configured = xen::settings_in(wanted.configuration());
    if (!configured) return control::bad_request(configured.error());
    settings = *configured;
  }
  std::vector<std::string> const words(wanted.setting().begin(), wanted.setting().end());
  if (auto const valid = control::apply_settings(words, settings); !valid)
    return control::bad_request(valid.error());
  if (auto const possible = possible_here(settings); !possible) return possible;
  if (settings.accelerator)
    return control::bad_request(
        "accelerator= is not a setting of the device: pegasusctl set it once it is attached");
  auto const attached = xen::attach(wanted.guest(), settings);
  if (!attached) return tl::unexpected(attached.error());
  return {};
}

control::RequestOutcome ControlService::detach(control::Detach const& wanted) {
  if (auto const served = serves_xen(); !served) return served;
  auto const detached = xen::detach(wanted.guest());
  if (!detached) return tl::unexpected(detached.error());
  spdlog::info("guest {}: its accelerator is detached at an operator's request", *detached);
  return {};
}

control::RequestOutcome ControlService::end_at_request() {
  if (!parts_.options.private_to_parent)
    return control::not_as_things_are(
        "only a private daemon is stopped this way; stop this one by a signal or its service manager");
  parts_.stop();
  return {};
}

control::RequestOutcome ControlService::switch_policy(control::PolicyRequest const& wanted) {
  std::vector<std::string> const settings(wanted.setting().begin(), wanted.setting().end());
  auto const chosen = policies::choose(wanted.name(), settings, parts_.options.usual);
  if (auto const* invalid = std::get_if<policies::InvalidChoice>(&chosen))
    return control::bad_request(invalid->text);
  parts_.accelerators.use(std::get<policies::Choice>(chosen));
  spdlog::info("policy {}{}{}", wanted.name(), settings.empty() ? "" : " ", fmt::join(settings, " "));
  return {};
}

std::string ControlService::no_such_domain(std::string const& name) const {
  std::string valid;
  for (auto const& [known, domain] : parts_.domains)
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", known);
  return fmt::format("there is no domain \"{}\"; {}", name,
                     valid.empty() ? "there are none yet" : "there are: " + valid);
}

control::RequestOutcome ControlService::remove_domain(control::Remove const& wanted) {
  Domain* const known = parts_.domains.named(wanted.name());
  if (known == nullptr) return control::bad_request(no_such_domain(wanted.name()));
  Domain& domain = *known;
  if (domain.guest)
    return control::not_as_things_are(
        fmt::format("domain {} is a guest of Xen: it stays as long as its device; detach that by its "
                    "toolstack",
                    domain.name));
  if (domain.tasks > 0 && !wanted.kill())
    return control::not_as_things_are(fmt::format("domain {} still has {}: remove it later, or add --kill",
                                                  domain.name, control::counted(domain.tasks, "task")));
  spdlog::info("domain {} is removed, with {}", domain.name, control::counted(domain.tasks, "task"));
  domain.gone = true;
  parts_.sessions.end_all_of(domain);
  if (!domain.in_use()) parts_.domains.drop(domain);
  return {};
}

tl::expected<Domain*, control::RequestError>
ControlService::domain_to_change(control::SetDomain const& wanted) {
  Domain* const known = parts_.domains.named(wanted.name());
  if (known == nullptr && !wanted.create()) return control::bad_request(no_such_domain(wanted.name()));
  if (known != nullptr && known->guest) return known;
  return parts_.domains.local(wanted.name());
}

// Checks everything before it changes anything.
control::RequestOutcome ControlService::change_domain(control::SetDomain const& wanted, control::Done& done) {
  std::vector<std::string> const words(wanted.setting().begin(), wanted.setting().end());
  control::Settings asked;
  if (auto const valid = control::apply_settings(words, asked); !valid)
    return control::bad_request(valid.error());
  if (auto const possible = possible_here(asked); !possible) return possible;
  auto const known = domain_to_change(wanted);
  if (!known) return tl::unexpected(known.error());
  Domain& domain = **known;
  control::Settings settings = domain.settings;
  if (auto const valid = control::apply_settings(words, settings); !valid)
    return control::bad_request(valid.error());
  bool const for_tasks = wanted.for_tasks() && !domain.guest;
  std::optional<control::Settings> afterwards = domain.afterwards;
  if (for_tasks && !afterwards) afterwards = domain.settings;
  if (!for_tasks && afterwards)
    if (auto const valid = control::apply_settings(words, *afterwards); !valid)
      return control::bad_request(valid.error());
  if (auto const kept = parts_.placement.can_keep(domain, settings); !kept)
    return control::not_as_things_are(kept.error().message +
                                      ": set less, or end a program of another domain");
  // A guest's nodes in xenstore are decisive: another change to them must not undo this one.
  if (domain.guest && parts_.xen && !parts_.xen->change(*domain.guest, settings))
    return control::could_not(fmt::format(
        "domain {} has no device any more, or its nodes in xenstore cannot be written", wanted.name()));
  if (for_tasks)
    domain.task_expected = true;
  else if (!words.empty())
    domain.kept = true;
  if (for_tasks && domain.tasks > 0 && !(settings == domain.settings))
    done.set_notice(fmt::format("domain {} had other settings, and {} in it: what was set now holds for all",
                                domain.name, control::counted(domain.tasks, "program")));
  domain.afterwards = afterwards;
  parts_.domains.change(domain, settings);
  return {};
}

// Checks against the existing accelerators.
control::RequestOutcome ControlService::possible_here(control::Settings const& asked) const {
  std::uint64_t const largest = parts_.accelerators.max_memory();
  if (asked.memory > largest)
    return control::bad_request(fmt::format("memory={} is more than any accelerator has: {}",
                                            control::text_of_size(asked.memory),
                                            control::text_of_size(largest)));
  if (std::uint64_t const context = parts_.accelerators.min_context();
      asked.memory != 0 && asked.memory < context)
    return control::bad_request(
        fmt::format("memory={} is less than a program's context takes on any accelerator: {}",
                    control::text_of_size(asked.memory), control::text_of_size(context)));
  if (asked.accelerator && *asked.accelerator >= parts_.accelerators.size())
    return control::bad_request(fmt::format("there is no accelerator {}; there are {}, from 0 on",
                                            *asked.accelerator, parts_.accelerators.size()));
  return {};
}

} // namespace pegasus::daemon
