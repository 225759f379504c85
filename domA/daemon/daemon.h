// SPDX-License-Identifier: Apache-2.0
// pegasusd: the wiring between guests, workers, scheduler and operators. Never sees a call.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/control_service.h"
#include "domA/daemon/options.h"
#include "domA/daemon/sessions.h"
#include "domA/daemon/start_error.h"
#include "domA/daemon/status_host.h"
#include "domA/guests/local/guest_server.h"
#include "domA/guests/xen/xen_domains.h"

#include <boost/asio/signal_set.hpp>
#include <optional>

namespace pegasus::daemon {

class Daemon {
public:
  // `found`: the accelerators to serve, at least one. The error is a message for the operator.
  [[nodiscard]] static tl::expected<std::unique_ptr<Daemon>, StartError>
  create(boost::asio::io_context& io, Options const& options, std::vector<FoundAccelerator> found);
  ~Daemon() { accelerators_.stop(); } // before the objects that the scheduling thread reads are destroyed

  [[nodiscard]] ControlHost& control() { return service_; }
  [[nodiscard]] Sessions& sessions() { return sessions_; }

private:
  // device: one that workers will use.
  Daemon(boost::asio::io_context& io, Options const& options, worker::DeviceChoice const& device);
  [[nodiscard]] tl::expected<void, StartError> serve_xen();
  void stop();

  boost::asio::io_context& io_;
  Options options_;
  base::UniqueFd claim_; // lock on the directory
  RateLimitedLog log_;
  std::optional<xen::XenDomains> xen_; // outlives the tasks of its guests
  Jailer jailer_;
  Accelerators accelerators_;
  DomainTable domains_;
  Placement placement_;
  Sessions sessions_;
  Freezer freezer_;
  std::string workers_lack_; // missing separation of workers
  ControlService service_;
  StatusHost shown_{service_};
  boost::asio::signal_set signals_;
  std::optional<local::GuestServer> guests_;
  std::optional<ControlServer> control_;
  std::optional<ControlServer> status_;
};

} // namespace pegasus::daemon
