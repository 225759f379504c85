// SPDX-License-Identifier: Apache-2.0
// A task's admission: what its guest asks for is checked and set aside, its worker starts and is watched.
#include "domA/daemon/sessions.h"

#include "base/unique_fd.h"
#include "domA/device/kinds.h"
#include "domA/placement/slots.h"
#include "domA/worker/wire_profile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

namespace pegasus::daemon {
namespace {

using guests::Rejection;

Rejection rejection(control::RequestError const& error) {
  return {error.kind == control::BAD_REQUEST ? static_cast<std::uint32_t>(EINVAL) : ENOSPC, error.message};
}

std::size_t guests_that_wait(DomainTable const& domains) {
  return static_cast<std::size_t>(std::ranges::count_if(domains, [](auto const& entry) {
    Domain const& domain = entry.second;
    return domain.guest && domain.tasks == 0 && !domain.gone;
  }));
}

// As much as the device has: who needs more than fits there copies in any case. In whole pages.
std::uint64_t host_window_bytes(Accelerator const& accelerator) {
  return accelerator.memory_bytes() / device::HostWindow::granule * device::HostWindow::granule;
}

pegasus_connect_reply connect_reply_to(Domain const& domain, TaskId id, ring::Geometry const& geometry,
                                       std::uint64_t host_window_bytes) {
  pegasus_connect_reply connect_reply = guests::make_connect_reply();
  connect_reply.channel_bytes = geometry.total_bytes;
  connect_reply.slots = geometry.slots;
  connect_reply.arena_bytes = geometry.arena_bytes;
  connect_reply.task = id;
  connect_reply.device = worker::to_wire(domain.accelerator->found().profile);
  connect_reply.device.memory_bytes = domain.memory.bytes;
  connect_reply.host_window_bytes = host_window_bytes;
  if (host_window_bytes == 0) worker::share_no_host_memory(connect_reply.device);
  return connect_reply;
}

} // namespace

tl::expected<pegasus_connect_reply, Rejection> Sessions::admit(std::string const& name,
                                                               guests::ConnectRequest const& connect_request,
                                                               guests::Peer const& peer,
                                                               std::shared_ptr<guests::GuestLink> link) {
  auto const domain = deps_.domains.local(name);
  if (!domain) return tl::unexpected(rejection(domain.error()));
  return admit({**domain, connect_request, peer, std::move(link)});
}

tl::expected<pegasus_connect_reply, Rejection> Sessions::admit(std::uint32_t guest,
                                                               guests::ConnectRequest const& connect_request,
                                                               guests::Peer const& peer,
                                                               std::shared_ptr<guests::GuestLink> link) {
  Domain* const domain = deps_.domains.of_guest(guest);
  if (domain == nullptr)
    return tl::unexpected(Rejection{ENOSPC, "there are too many domains: see the log of pegasusd"});
  return admit({*domain, connect_request, peer, std::move(link)});
}

tl::expected<pegasus_connect_reply, Rejection> Sessions::admit(PendingConnect pending) {
  if (pending.connect_request.kind == PEGASUS_CONNECT_TOTALS)
    return observers_.admit(pending.domain, pending.peer, std::move(pending.link));
  auto const id = free_slot(pending);
  if (!id) return tl::unexpected(id.error());
  Domain& domain = pending.domain;
  if (domain.tasks == 0)
    if (auto const placed = deps_.placement.place(domain); !placed) return tl::unexpected(placed.error());
  if (auto const bounded = deps_.domains.bound_host_memory(domain); !bounded)
    return tl::unexpected(Rejection{ENOMEM, bounded.error()});
  ring::Geometry const geometry =
      ring::geometry_for(pending.connect_request.slots, pending.connect_request.arena_bytes);
  if (!domain.guest) pending.call_buffer_bytes = geometry.total_bytes;
  if (auto const checked = check_call_buffer(domain, pending.call_buffer_bytes); !checked)
    return tl::unexpected(checked.error());
  memory::QuotaBooks& memory = domain.accelerator->memory();
  memory.take(*id, domain.id, domain.memory); // its worker charges from the beginning
  auto watched =
      deps_.placement.has_room_for_context(domain, memory.free_bytes(*id))
          .and_then([&] { return start_worker(pending, *id, geometry); })
          .and_then([&](WorkerProcess&& worker) { return watch(pending, *id, std::move(worker)); });
  if (!watched) {
    memory.leave(*id);
    deps_.domains.share_memory(); // its domain may have no task after all
    return tl::unexpected(watched.error());
  }
  return connect_reply_to(domain, *id, geometry, pending.host_window_bytes);
}

tl::expected<TaskId, Rejection> Sessions::free_slot(PendingConnect const& pending) const {
  Domain const& domain = pending.domain;
  uid_t const user = pending.peer.user;
  auto const none =
      placement::no_slot({.domain = domain.name,
                          .user = user,
                          .names_itself = !domain.guest && deps_.options.domains == local::DomainsBy::named,
                          .of_guest = domain.guest.has_value(),
                          .tasks_of_domain = domain.tasks,
                          .tasks_of_user = count([user](Task const& task) { return task.peer.user == user; }),
                          .taken = tasks_.size(),
                          .guests_that_wait = guests_that_wait(deps_.domains)});
  if (none) return tl::unexpected(Rejection{EAGAIN, *none});
  for (TaskId id = 0; id < shared::slot_count; ++id)
    if (!tasks_.contains(id)) return id;
  return tl::unexpected(Rejection{EAGAIN, "all slots are taken: try again"});
}

// Linux charges a page of it to who touches it first, which may be the program, or pegasusd: it is bounded here.
tl::expected<void, Rejection> Sessions::check_call_buffer(Domain const& domain, std::uint64_t bytes) const {
  std::uint64_t const most = deps_.domains.host_memory(domain) / 2;
  std::uint64_t of_domain = 0;
  for_each_of(domain, [&](Task const& task) { of_domain += task.call_buffer_bytes; });
  if (of_domain + bytes <= most) return {};
  return tl::unexpected(Rejection{
      ENOMEM, fmt::format("domain {}: its call buffers would be {} KiB, more than half of its host memory "
                          "({} KiB): end a program, or pegasusctl set {} host-memory=SIZE",
                          domain.name, (of_domain + bytes) >> 10, most >> 10, domain.name)});
}

tl::expected<WorkerProcess, Rejection> Sessions::start_worker(PendingConnect& pending, TaskId id,
                                                              ring::Geometry const& geometry) {
  Domain& domain = pending.domain;
  Accelerator& accelerator = *domain.accelerator;
  device::Kind const& kind = device::kinds[accelerator.found().device.kind];
  auto const channel =
      pending.link->make_channel(geometry, kind.shares_host_memory ? host_window_bytes(accelerator) : 0);
  if (!channel) return tl::unexpected(Rejection{ENOMEM, channel.error()});
  pending.host_window_bytes = channel->host_window_bytes;
  int code_cache = -1;
  if (kind.has_driver) {
    auto const cache = deps_.domains.code_cache(domain);
    if (!cache) return tl::unexpected(Rejection{ENOMEM, cache.error()});
    code_cache = *cache;
  }
  auto worker =
      WorkerProcess::start(deps_.jailer, deps_.options.worker_program,
                           {geometry, *channel, id, accelerator.memory_bytes(), accelerator.found().device,
                            accelerator.shared_fds(), &domain.control_group, code_cache});
  if (worker) return std::move(*worker);
  deps_.log(spdlog::level::err, "cannot start a worker for domain {}: {}", domain.name, worker.error());
  return tl::unexpected(Rejection{ENOMEM, worker.error()});
}

tl::expected<void, Rejection> Sessions::watch(PendingConnect& pending, TaskId id, WorkerProcess worker) {
  Domain& domain = pending.domain;
  Accelerator& accelerator = *domain.accelerator;
  guests::Peer const& peer = pending.peer;
  base::UniqueFd exit_fd(fcntl(worker.pidfd(), F_DUPFD_CLOEXEC, 0));
  base::UniqueFd output(fcntl(worker.output(), F_DUPFD_CLOEXEC, 0));
  int const error =
      exit_fd.get() < 0 || output.get() < 0 ? errno : deps_.accelerators.on_schedulers_thread([&] {
        if (!accelerator.scheduler().attach(id, domain.id, {worker.gate(), worker.usage()}, worker.kick_fd(),
                                            worker.pid()))
          return errno;
        deps_.accelerators.cpu_watch().attach(domain.id, peer.pid);
        deps_.accelerators.totals().attach(id, domain.id,
                                           {&accelerator.scheduler(), static_cast<std::uint32_t>(peer.pid)});
        return 0;
      });
  if (error != 0) {
    worker.kill();
    (void)worker.reap();
    return tl::unexpected(
        Rejection{EMFILE, fmt::format("pegasusd cannot watch another worker: {}", std::strerror(error))});
  }
  auto entry = std::make_unique<Session>(Session{
      {id, &domain, peer, pending.connect_request.program, std::move(worker), pending.call_buffer_bytes},
      std::move(pending.link),
      boost::asio::posix::stream_descriptor(io_, exit_fd.release()),
      WorkerLines::follow(io_, output.release(),
                          [this, id](auto line) { deps_.log(spdlog::level::warn, "task {}: {}", id, line); }),
      boost::asio::steady_timer(io_)});
  Session& session = *tasks_.emplace(id, std::move(entry)).first->second;
  ++domain.tasks;
  domain.task_expected = false;
  session.exit_event.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                [this, id](boost::system::error_code code) {
                                  if (!code) on_worker_exit(id);
                                });
  deps_.log(spdlog::level::info, "task {} of domain {}: {} (process {}), worker {}, accelerator {}", id,
            domain.name, session.task.program, peer.pid, session.task.worker.pid(), accelerator.index());
  return {};
}

} // namespace pegasus::daemon
