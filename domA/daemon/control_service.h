// SPDX-License-Identifier: Apache-2.0
// What operators ask and change: one function per request of control/control.proto.
#pragma once

#include "control/request_error.h"
#include "domA/daemon/control_server.h"
#include "domA/daemon/freezer.h"
#include "domA/daemon/status_report.h"
#include "domA/guests/xen/xen_domains.h"

#include <functional>
#include <optional>

namespace pegasus::daemon {

class ControlService final : public ControlHost {
public:
  // All must outlive it.
  struct Dependencies {
    Options const& options;
    Accelerators& accelerators;
    DomainTable& domains;
    Placement& placement;
    Sessions& sessions;
    std::optional<xen::XenDomains>& xen; // nullopt: no guests of Xen are served
    Freezer& freezer;
    boost::asio::io_context& io;
    std::string const& workers_lack; // missing separation of workers, for operators
    std::function<void()> stop;      // of a private daemon, once the reply is sent
  };
  explicit ControlService(Dependencies deps)
      : deps_(std::move(deps)), report_(deps_.options, deps_.accelerators, deps_.domains, deps_.sessions) {}

  void answer(control::Request const& request, Respond respond) override;

private:
  void answer_now(control::Request const& request, control::Reply& reply);
  void describe(control::Describe const& request, Respond respond);
  void freeze(control::Freeze const& request, bool frozen, Respond const& respond);
  control::RequestOutcome change(control::Request const& request,
                                 control::Reply& reply); // all that change something
  control::RequestOutcome change_domain(control::SetDomain const& request, control::Done& done);
  [[nodiscard]] control::RequestOutcome possible_here(control::Settings const& asked) const;
  [[nodiscard]] tl::expected<Domain*, control::RequestError>
  domain_to_change(control::SetDomain const& request);
  [[nodiscard]] control::RequestOutcome serves_xen() const;
  control::RequestOutcome attach(control::Attach const& request);
  control::RequestOutcome detach(control::Detach const& request);
  control::RequestOutcome remove_domain(control::Remove const& request);
  control::RequestOutcome switch_policy(control::PolicyRequest const& request);
  control::RequestOutcome end_at_request();
  [[nodiscard]] std::string no_such_domain(std::string const& name) const;

  Dependencies deps_;
  StatusReport report_;
};

} // namespace pegasus::daemon
