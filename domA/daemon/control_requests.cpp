// SPDX-License-Identifier: Apache-2.0
// What an operator may ask and change: one function per request of ctl/control.proto.
#include "ctl/control.pb.h"
#include "domA/daemon/daemon.h"
#include "domA/guests/xen/attach.h"
#include "frontend/protocol/channel.h"

#include <boost/asio/post.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

constexpr std::uint32_t credits_max = 65535;

bool valid_latency_slice(std::uint64_t nanoseconds) {
  constexpr auto least = static_cast<std::uint64_t>(policies::shortest_latency_slice.count());
  constexpr auto most = static_cast<std::uint64_t>(policies::longest_latency_slice.count());
  return nanoseconds == 0 || (nanoseconds >= least && nanoseconds <= most);
}

} // namespace

void Daemon::answer(control::Request const& request, control::Reply& reply) {
  using control::Request;
  auto const done = [&reply](RequestOutcome const& outcome) {
    reply.mutable_done();
    if (!outcome) put(outcome.error(), reply);
  };
  switch (request.what_case()) {
  case Request::kVersion:
    reply.mutable_version()->set_version(PEGASUS_VERSION);
    reply.mutable_version()->set_protocol(PEGASUS_PROTOCOL_VERSION);
    reply.mutable_version()->set_pid(static_cast<std::uint32_t>(getpid()));
    reply.mutable_version()->set_workers_lack(workers_lack());
    reply.mutable_version()->set_domains_by(std::string(text_of(options_.domains)));
    break;
  case Request::kPolicies:
    describe_policies(reply);
    break;
  case Request::kPolicy:
    if (!request.policy().name().empty() || request.policy().setting_size() > 0)
      if (auto const switched = switch_policy(request.policy()); !switched)
        return put(switched.error(), reply);
    describe_policy(*policy_.policy, *reply.mutable_policy());
    break;
  case Request::kDomains:
    describe_domains(reply);
    break;
  case Request::kSetDomain:
    done(change_domain(request));
    break;
  case Request::kRemove:
    done(remove_domain(request.remove()));
    break;
  case Request::kAttach:
    done(attach(request.attach()));
    break;
  case Request::kAccelerators:
    describe_accelerators(reply);
    break;
  case Request::kLog:
    describe_log(request.log().entries(), reply);
    break;
  case Request::kResetStatistics:
    count_since("a reset");
    reply.mutable_done();
    break;
  case Request::kShutdown:
    done(end_at_request());
    break;
  case Request::WHAT_NOT_SET:
    done(bad_request("this pegasusd does not know the request; is the control tool newer?"));
    break;
  }
}

RequestOutcome Daemon::attach(control::Attach const& wanted) {
  if (!xen_)
    return could_not(
        "this pegasusd serves no guests of Xen: it does not run on a Xen host, or was started with "
        "--no-xen");
  auto const attached = xen::attach(wanted.guest(), wanted.configuration());
  if (!attached) return bad_request(attached.error());
  return {};
}

RequestOutcome Daemon::end_at_request() {
  if (!options_.private_to_parent)
    return not_as_things_are(
        "only a private daemon is stopped this way; stop this one by a signal or its service manager");
  boost::asio::post(io_, [this] { stop(); });
  return {};
}

void Daemon::count_since(std::string_view what) {
  scheduling_([this] {
    for (auto const& accelerator : accelerators_)
      accelerator->scheduler().reset_statistics();
    cpu_watch_.reset_statistics();
  });
  counting_since_ = what;
}

RequestOutcome Daemon::switch_policy(control::PolicyRequest const& wanted) {
  std::vector<std::string> const settings(wanted.setting().begin(), wanted.setting().end());
  std::string error;
  auto const choice = policies::choose(wanted.name(), settings, options_.usual, error);
  if (!choice) return bad_request(error);
  scheduling_([&] {
    for (auto const& accelerator : accelerators_)
      accelerator->scheduler().use(*choice);
  });
  policy_ = *choice;
  count_since("the policy's switch");
  spdlog::info("policy {}{}{}", wanted.name(), settings.empty() ? "" : " ", fmt::join(settings, " "));
  return {};
}

std::string Daemon::no_such_domain(std::string const& name) const {
  std::string valid;
  for (auto const& [known, domain] : domains_)
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", known);
  return fmt::format("there is no domain \"{}\"; {}", name,
                     valid.empty() ? "there are none yet" : "there are: " + valid);
}

RequestOutcome Daemon::remove_domain(control::Remove const& wanted) {
  Domain* const known = domains_.named(wanted.name());
  if (known == nullptr) return bad_request(no_such_domain(wanted.name()));
  Domain& domain = *known;
  if (domain.guest)
    return not_as_things_are(
        fmt::format("domain {} is a guest of Xen: it stays as long as its device; detach that by its "
                    "toolstack",
                    domain.name));
  if (domain.tasks > 0 && !wanted.kill())
    return not_as_things_are(
        fmt::format("domain {} has {} tasks: end them, or add --kill", domain.name, domain.tasks));
  spdlog::info("domain {} is removed, with {} tasks", domain.name, domain.tasks);
  domain.gone = true;
  for (auto const& [id, seat] : seats_)
    if (seat->task.domain == &domain) remove(id, PEGASUS_CLOSE_SHUTDOWN);
  if (domain.tasks == 0) drop(domain);
  return {};
}

// Checks everything before it changes anything.
RequestOutcome Daemon::change_domain(control::Request const& request) {
  control::SetDomain const& wanted = request.set_domain();
  if (wanted.has_credits() && (wanted.credits() < 1 || wanted.credits() > credits_max))
    return bad_request(fmt::format("credits={} is out of range: 1 to {}", wanted.credits(), credits_max));
  if (wanted.has_slo() && !(wanted.slo() >= 0 && wanted.slo() <= 1))
    return bad_request(fmt::format("slo={} is out of range: 0 to 1", wanted.slo()));
  if (wanted.has_latency_slice_ns() && !valid_latency_slice(wanted.latency_slice_ns()))
    return bad_request(
        fmt::format("latency={}ns is out of range: 100us to 1s, or 0 for the policy's own slice",
                    wanted.latency_slice_ns()));
  if (wanted.has_memory_bytes() && wanted.memory_bytes() > largest_memory())
    return bad_request(fmt::format("memory={} is more than any accelerator has: {} bytes",
                                   wanted.memory_bytes(), largest_memory()));
  if (wanted.has_accelerator() &&
      (wanted.accelerator() < -1 || wanted.accelerator() >= static_cast<int>(accelerators_.size())))
    return bad_request(fmt::format("there is no accelerator {}; there are {}, from 0 on",
                                   wanted.accelerator(), accelerators_.size()));
  Domain* known = domains_.named(wanted.name());
  if (known == nullptr && !wanted.create()) return bad_request(no_such_domain(wanted.name()));
  if (known == nullptr || !known->guest) {
    auto const local = local_domain(wanted.name());
    if (!local) return bad_request(local.error());
    known = *local;
  }
  Domain& changed = *known;
  std::uint32_t const credits = wanted.has_credits() ? wanted.credits() : changed.credits;
  std::uint64_t const memory = wanted.has_memory_bytes() ? wanted.memory_bytes() : changed.memory_limit;
  double const slo = wanted.has_slo() ? wanted.slo() : changed.slo;
  std::uint64_t const host_memory =
      wanted.has_host_memory_bytes() ? wanted.host_memory_bytes() : changed.host_memory;
  policies::Nanos const latency_slice =
      wanted.has_latency_slice_ns() ? policies::Nanos(wanted.latency_slice_ns()) : changed.latency_slice;
  if (std::string const lack = promise_lack(changed, memory, slo); !lack.empty())
    return not_as_things_are(lack + ": set less, or end a program of another domain");
  // A guest's nodes are what counts: another change there must not undo this one.
  if (changed.guest && xen_ &&
      !xen_->change({*changed.guest, credits, memory, slo, host_memory, latency_slice}))
    return could_not(fmt::format(
        "domain {} has no device any more, or its nodes in xenstore cannot be written", wanted.name()));
  if (wanted.has_credits() || wanted.has_slo() || wanted.has_latency_slice_ns() ||
      wanted.has_memory_bytes() || wanted.has_accelerator() || wanted.has_host_memory_bytes())
    changed.kept = true;
  if (wanted.has_accelerator())
    changed.pinned = wanted.accelerator() < 0
                         ? std::nullopt
                         : std::optional(static_cast<std::uint32_t>(wanted.accelerator()));
  changed.credits = credits;
  changed.memory_limit = memory;
  changed.slo = slo;
  changed.host_memory = host_memory;
  changed.latency_slice = latency_slice;
  apply(changed);
  return {};
}

} // namespace pegasus::daemon
