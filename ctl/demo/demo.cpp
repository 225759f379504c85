// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/demo.h"

#include "cli/printable.h"
#include "ctl/commands/command.h"
#include "ctl/demo/measurement.h"

#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

// Checks all names before the first measurement, so a mistyped second name does not cost the
// time of the first.
Result<void> check_policies(control::Client& client, std::vector<std::string> const& policies) {
  control::Request request;
  request.mutable_policies();
  auto const reply = client.ask(request, control::Reply::kPolicies).map_error(failure_of);
  if (!reply) return tl::unexpected(reply.error());
  for (std::string const& name : policies) {
    bool exists = false;
    std::string valid;
    for (control::Policy const& policy : reply->policies().policy()) {
      exists = exists || policy.name() == name.substr(0, name.find(':'));
      valid += (valid.empty() ? "" : ", ") + policy.name();
    }
    if (!exists)
      return fail(FailureKind::usage, fmt::format("there is no policy \"{}\"; there are: {}",
                                                  cli::printable(name), cli::printable(valid)));
  }
  return {};
}

} // namespace

Result<bool> run_demo(DemoOptions const& options) {
  auto const installation = Installation::find();
  if (!installation) return tl::unexpected(installation.error());
  if (auto const complete = check_guest_libraries(*installation); !complete)
    return tl::unexpected(complete.error());
  SignalWatch signals;
  auto daemon = PrivateDaemon::start(*installation, {.accelerator = options.accelerator}, signals);
  if (!daemon) return tl::unexpected(daemon.error());
  auto client = control::Client::connect(daemon->address()).map_error(failure_of);
  if (!client) return tl::unexpected(client.error());
  if (auto const checked = check_policies(*client, options.policies); !checked)
    return tl::unexpected(checked.error());

  std::vector<RunReport> runs;
  bool verified = true;
  for (std::string const& policy : options.policies) {
    Measurement measurement(*installation, *daemon, *client, signals);
    auto run =
        measurement.run(policy, options.mixed, std::chrono::duration<double>(options.duration).count());
    if (!run) return tl::unexpected(run.error());
    verified = verified && run->verified();
    if (!options.json)
      if (auto const printed = print((runs.empty() ? "" : "\n") + report_text(*run)); !printed)
        return tl::unexpected(printed.error());
    runs.push_back(std::move(*run));
  }
  if (options.json)
    if (auto const printed = print_json(report_json(runs)); !printed) return tl::unexpected(printed.error());
  return verified;
}

} // namespace pegasus::ctl
