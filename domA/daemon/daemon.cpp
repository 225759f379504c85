// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/daemon.h"

#include "domA/daemon/directory.h"
#include "domA/device/kinds.h"
#include "domA/worker/gpu_nodes.h"

#include <boost/asio/post.hpp>
#include <csignal>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace pegasus::daemon {
namespace {

// The operator's tools are trusted. Each user may ask fifty times a second, however many tools it runs.
constexpr ClientLimits::Limits operators_limits{.per_user = 1024, .connections = 1024, .reply_interval = {}};
constexpr ClientLimits::Limits users_limits{
    .per_user = 16, .connections = 256, .reply_interval = std::chrono::milliseconds(20)};

std::string joined(std::string first, std::string_view second) {
  if (!first.empty() && !second.empty()) first += "; ";
  return first.append(second);
}

// Without pegasusd; for operators, empty if they cannot.
std::string users_can_open(worker::DeviceChoice const& device) {
  if (!device::kinds[device.kind].has_driver || !worker::access_to(worker::gpu_nodes(device.pci)).everybody)
    return {};
  return "users can open the GPU themselves, without shares or limits: its device nodes are open to "
         "everybody (docs/operators/hardening.md)";
}

} // namespace

tl::expected<std::unique_ptr<Daemon>, StartError>
Daemon::create(boost::asio::io_context& io, Options const& options, std::vector<FoundAccelerator> found) {
  auto claim = claim_directory(options.directory, options.socket_group);
  if (!claim) return tl::unexpected(claim.error());
  SocketAccess const for_operator{.mode = 0600, .group = {}};
  SocketAccess const for_users =
      options.socket_group ? SocketAccess{.mode = 0660, .group = options.socket_group} : SocketAccess{};
  auto guests = listen_at(options.directory + guest_socket, SOCK_SEQPACKET, for_users);
  if (!guests) return tl::unexpected(guests.error());
  auto control = listen_at(options.directory + control_socket, SOCK_STREAM, for_operator);
  if (!control) return tl::unexpected(control.error());
  auto status = listen_at(options.directory + status_socket, SOCK_STREAM,
                          options.socket_group ? for_users : for_operator);
  if (!status) return tl::unexpected(status.error());
  std::unique_ptr<Daemon> daemon(new Daemon(io, options, found.front().device));
  daemon->claim_ = std::move(*claim);
  for (FoundAccelerator& accelerator : found)
    if (auto const added = daemon->accelerators_.add(std::move(accelerator)); !added)
      return machine_refuses(added.error());
  daemon->guests_.emplace(io, std::move(*guests), daemon->sessions_,
                          local::Identity(options.domains, options.cgroup_rules));
  daemon->control_.emplace(io, std::move(*control), daemon->service_, operators_limits);
  daemon->status_.emplace(io, std::move(*status), daemon->shown_, users_limits);
  if (options.serve_xen && xen::Guests::present())
    if (auto const served = daemon->serve_xen(); !served) return tl::unexpected(served.error());
  return daemon;
}

Daemon::Daemon(boost::asio::io_context& io, Options const& options, worker::DeviceChoice const& device)
    : io_(io), options_(options),
      jailer_(options.worker_program, options.worker_users, device, options.confinement),
      accelerators_(
          io, options_,
          {.give_up = [this](TaskId task) { sessions_.give_up(task); },
           .answered =
               [this](scheduler::Answered const& answered) { sessions_.orders().answered(answered); }}),
      domains_(options_, accelerators_, log_), placement_(io, options_, accelerators_, domains_, log_),
      sessions_(io, {options_, accelerators_, domains_, placement_, jailer_, log_}),
      freezer_(io, domains_, sessions_),
      workers_lack_(
          joined(joined(jailer_.missing(), domains_.control_groups().missing()), users_can_open(device))),
      service_({options_, accelerators_, domains_, placement_, sessions_, xen_, freezer_, io, workers_lack_,
                [this] { boost::asio::post(io_, [this] { stop(); }); }}),
      signals_(io, SIGTERM, SIGINT) {
  bool const usual = options.private_to_parent && options.confinement == worker::Confinement::all;
  if (!workers_lack_.empty())
    spdlog::log(usual ? spdlog::level::info : spdlog::level::warn, "{}", workers_lack_);
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) stop();
  });
}

tl::expected<void, StartError> Daemon::serve_xen() {
  auto xen = xen::Guests::open(sessions_, options_.guest_limits, options_.guest_rules);
  if (!xen) return machine_refuses(xen.error() + " (or start pegasusd with --no-xen)");
  xen_.emplace(io_, std::move(*xen));
  accelerators_.on_schedulers_thread(
      [this] { accelerators_.cpu_watch().use(xen::Schedule::open([this] { return accelerators_.now(); })); });
  return {};
}

void Daemon::stop() {
  guests_->stop();
  control_->stop();
  status_->stop();
  if (xen_) xen_->stop();
  sessions_.stop();
  accelerators_.stop();
  io_.stop();
}

} // namespace pegasus::daemon
