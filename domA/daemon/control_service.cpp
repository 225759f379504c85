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
    return report_.version(deps_.workers_lack, reply);
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
    deps_.accelerators.count_since("a reset");
    return {};
  case Request::kShutdown:
    return end_at_request();
  default:
    return control::bad_request(
        "this pegasusd does not know the request: upgrade it to the version of the control tool");
  }
}

// Answers when the last task has, or has been waited for.
void ControlService::describe(control::Describe const& request, Respond respond) {
  auto const reply = std::make_shared<control::Reply>();
  Domain const* const domain = deps_.domains.named(request.domain());
  if (domain == nullptr) {
    control::put({control::BAD_REQUEST, no_such_domain(request.domain())}, *reply);
    return respond(*reply);
  }
  auto& description = *reply->mutable_description();
  std::vector<Task const*> tasks;
  deps_.sessions.for_each_of(*domain, [&](Task const& task) { tasks.push_back(&task); });
  if (tasks.empty()) return respond(*reply);
  for (Task const* const task : tasks) {
    control::DescribedTask& described = *description.add_task();
    described.set_id(task->id);
    described.set_pid(static_cast<std::uint32_t>(task->peer.pid));
    described.set_program(task->program);
  }
  auto const left = std::make_shared<std::size_t>(tasks.size());
  for (std::size_t index = 0; index < tasks.size(); ++index)
    daemon::describe(deps_.io, deps_.sessions.orders(), *tasks[index], [=](Described const& holdings) {
      control::DescribedTask& described =
          *reply->mutable_description()->mutable_task(static_cast<int>(index));
      if (holdings)
        *described.mutable_holdings() = *holdings;
      else
        described.set_error(holdings.error());
      if (--*left == 0) respond(*reply);
    });
}

void ControlService::freeze(control::Freeze const& request, bool frozen, Respond const& respond) {
  Freezer::Then const then = [respond](Freezer::Outcome const& outcome) {
    control::Reply reply;
    if (outcome)
      reply.mutable_done()->set_notice(*outcome);
    else
      control::put(outcome.error(), reply);
    respond(reply);
  };
  Domain* const domain = deps_.domains.named(request.domain());
  if (domain == nullptr) return then(control::bad_request(no_such_domain(request.domain())));
  frozen ? deps_.freezer.freeze(*domain, then) : deps_.freezer.thaw(*domain, then);
}

control::RequestOutcome ControlService::serves_xen() const {
  if (deps_.xen) return {};
  return control::could_not(
      "this pegasusd serves no guests of Xen: it does not run on a Xen host, or was started with --no-xen");
}

control::RequestOutcome ControlService::attach(control::Attach const& request) {
  if (auto const served = serves_xen(); !served) return served;
  control::Settings settings;
  if (!request.configuration().empty()) {
    auto const configured = xen::settings_in(request.configuration());
    if (!configured) return control::bad_request(configured.error());
    settings = *configured;
  }
  std::vector<std::string> const words(request.setting().begin(), request.setting().end());
  if (auto const valid = control::apply_settings(words, settings); !valid)
    return control::bad_request(valid.error());
  if (auto const possible = possible_here(settings); !possible) return possible;
  if (settings.accelerator)
    return control::bad_request(
        "accelerator= is not a setting of the device: attach it first, then use pegasusctl set");
  auto const attached = xen::attach(request.guest(), settings);
  if (!attached) return tl::unexpected(attached.error());
  return {};
}

control::RequestOutcome ControlService::detach(control::Detach const& request) {
  if (auto const served = serves_xen(); !served) return served;
  auto const detached = xen::detach(request.guest());
  if (!detached) return tl::unexpected(detached.error());
  spdlog::info("guest {}: accelerator detached by an operator", *detached);
  return {};
}

control::RequestOutcome ControlService::end_at_request() {
  if (!deps_.options.private_to_parent)
    return control::not_as_things_are(
        "only a private daemon can be stopped this way: stop this one by a signal or its service manager");
  deps_.stop();
  return {};
}

control::RequestOutcome ControlService::switch_policy(control::PolicyRequest const& request) {
  std::vector<std::string> const settings(request.setting().begin(), request.setting().end());
  auto const chosen = policies::choose(request.name(), settings, deps_.options.usual);
  if (auto const* invalid = std::get_if<policies::InvalidChoice>(&chosen))
    return control::bad_request(invalid->text);
  deps_.accelerators.use(std::get<policies::Choice>(chosen));
  spdlog::info("policy {}{}{}", request.name(), settings.empty() ? "" : " ", fmt::join(settings, " "));
  return {};
}

std::string ControlService::no_such_domain(std::string const& name) const {
  std::string valid;
  for (auto const& [existing, domain] : deps_.domains)
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", existing);
  return fmt::format("there is no domain \"{}\"; {}", name,
                     valid.empty() ? "there are none yet" : "there are: " + valid);
}

control::RequestOutcome ControlService::remove_domain(control::Remove const& request) {
  Domain* const named = deps_.domains.named(request.name());
  if (named == nullptr) return control::bad_request(no_such_domain(request.name()));
  Domain& domain = *named;
  if (domain.guest)
    return control::not_as_things_are(
        fmt::format("domain {} is a guest of Xen, which exists while its device does: detach that with the "
                    "toolstack",
                    domain.name));
  if (domain.tasks > 0 && !request.kill())
    return control::not_as_things_are(fmt::format("domain {} still has {}: remove it later, or add --kill",
                                                  domain.name, control::counted(domain.tasks, "task")));
  spdlog::info("domain {} is removed ({} ended)", domain.name, control::counted(domain.tasks, "task"));
  domain.gone = true;
  deps_.sessions.end_all_of(domain);
  if (!domain.in_use()) deps_.domains.drop(domain);
  return {};
}

tl::expected<Domain*, control::RequestError>
ControlService::domain_to_change(control::SetDomain const& request) {
  Domain* const domain = deps_.domains.named(request.name());
  if (domain == nullptr && !request.create()) return control::bad_request(no_such_domain(request.name()));
  if (domain != nullptr && domain->guest) return domain;
  return deps_.domains.local(request.name());
}

// Checks everything before it changes anything.
control::RequestOutcome ControlService::change_domain(control::SetDomain const& request,
                                                      control::Done& done) {
  std::vector<std::string> const words(request.setting().begin(), request.setting().end());
  control::Settings asked;
  if (auto const valid = control::apply_settings(words, asked); !valid)
    return control::bad_request(valid.error());
  if (auto const possible = possible_here(asked); !possible) return possible;
  auto const changed = domain_to_change(request);
  if (!changed) return tl::unexpected(changed.error());
  Domain& domain = **changed;
  control::Settings settings = domain.settings;
  if (auto const valid = control::apply_settings(words, settings); !valid)
    return control::bad_request(valid.error());
  bool const for_tasks = request.for_tasks() && !domain.guest;
  std::optional<control::Settings> afterwards = domain.afterwards;
  if (for_tasks && !afterwards) afterwards = domain.settings;
  if (!for_tasks && afterwards)
    if (auto const valid = control::apply_settings(words, *afterwards); !valid)
      return control::bad_request(valid.error());
  if (auto const kept = deps_.placement.can_keep(domain, settings); !kept)
    return control::not_as_things_are(kept.error().message +
                                      ": set less, or end a program of another domain");
  // A guest's nodes in xenstore are decisive: another change to them must not undo this one.
  if (domain.guest && deps_.xen && !deps_.xen->change(*domain.guest, settings))
    return control::could_not(fmt::format(
        "cannot change domain {}: its device was detached, or its nodes in xenstore cannot be written",
        request.name()));
  if (for_tasks)
    domain.task_expected = true;
  else if (!words.empty())
    domain.kept = true;
  if (for_tasks && domain.tasks > 0 && !(settings == domain.settings))
    done.set_notice(
        fmt::format("domain {} had other settings and {} running: the new ones apply to all its programs",
                    domain.name, control::counted(domain.tasks, "program")));
  domain.afterwards = afterwards;
  deps_.domains.change(domain, settings);
  return {};
}

// Checks against the existing accelerators.
control::RequestOutcome ControlService::possible_here(control::Settings const& asked) const {
  std::uint64_t const largest = deps_.accelerators.max_memory();
  if (asked.memory > largest)
    return control::bad_request(
        fmt::format("memory={} is more than the largest accelerator has: set {} or less",
                    control::text_of_size(asked.memory), control::text_of_size(largest)));
  if (std::uint64_t const context = deps_.accelerators.min_context();
      asked.memory != 0 && asked.memory < context)
    return control::bad_request(
        fmt::format("memory={} is less than a program's context takes: set {} or more",
                    control::text_of_size(asked.memory), control::text_of_size(context)));
  if (asked.accelerator && *asked.accelerator >= deps_.accelerators.size())
    return control::bad_request(
        fmt::format("there is no accelerator {}: this pegasusd has {}, numbered from 0", *asked.accelerator,
                    deps_.accelerators.size()));
  return {};
}

} // namespace pegasus::daemon
