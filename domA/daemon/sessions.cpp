// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/sessions.h"

#include "base/unique_fd.h"
#include "control/quantity.h"
#include "domA/device/kinds.h"
#include "domA/placement/slots.h"
#include "domA/worker/wire_profile.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

namespace pegasus::daemon {
namespace {

using guests::Rejection;

// A process ends within milliseconds; destroying the context of a GPU may take a second.
constexpr std::chrono::seconds kill_timeout{5};

// Counts the values of a map.
template <class Map, class Predicate> std::size_t count_if(Map const& map, Predicate predicate) {
  return static_cast<std::size_t>(
      std::ranges::count_if(map, [&](auto const& entry) { return predicate(entry.second); }));
}

Rejection rejection(control::RequestError const& error) {
  return {error.kind == control::BAD_REQUEST ? static_cast<std::uint32_t>(EINVAL) : ENOSPC, error.message};
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
  auto const none = placement::no_slot(
      {.domain = domain.name,
       .user = user,
       .names_itself = !domain.guest && deps_.options.domains == local::DomainsBy::named,
       .of_guest = domain.guest.has_value(),
       .tasks_of_domain = domain.tasks,
       .tasks_of_user =
           count_if(tasks_, [user](auto const& session) { return session->task.peer.user == user; }),
       .taken = tasks_.size(),
       .guests_that_wait = count_if(deps_.domains, [](Domain const& other) {
         return other.guest && other.tasks == 0 && !other.gone;
       })});
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

void Sessions::set_guest(std::uint32_t guest, std::string const& name, control::Settings const& settings) {
  Domain* const domain = deps_.domains.guest(guest, name);
  if (domain == nullptr) return;
  domain->gone = false;
  control::Settings changed = domain->settings;
  control::take_nodes(settings, changed);
  if (auto const kept = deps_.placement.can_keep(*domain, changed); !kept)
    report(kept.error().message + ": its nodes in xenstore ask for it, but it is not guaranteed");
  deps_.domains.change(*domain, changed);
}

void Sessions::forget_guest(std::uint32_t guest) {
  Domain* const domain = deps_.domains.of_guest(guest);
  if (domain == nullptr) return;
  domain->gone = true;
  drop_if_gone(*domain);
}

void Sessions::drop_if_gone(Domain const& domain) {
  if (domain.gone && !domain.in_use()) deps_.domains.drop(domain);
}

// The caller may be in the midst of its guests: an observer leaves afterwards, as a task does.
void Sessions::guest_left(std::uint32_t task) {
  if (!observers_.has(task)) return end(task, PEGASUS_CLOSE_GUEST_LEFT);
  boost::asio::post(io_, [this, task] {
    if (observers_.has(task)) drop_if_gone(observers_.end(task, PEGASUS_CLOSE_GUEST_LEFT));
  });
}

void Sessions::report(std::string const& problem) { deps_.log(spdlog::level::warn, "{}", problem); }

void Sessions::give_up(TaskId id) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end() || found->second->leaving) return;
  Accelerator& accelerator = *found->second->task.domain->accelerator;
  auto const [given_up, disobeyed] = deps_.accelerators.on_schedulers_thread(
      [&] { return std::pair(accelerator.seen().given_up(id), accelerator.seen().disobeyed(id)); });
  if (!given_up) return; // another task has its slot now
  deps_.log(spdlog::level::warn, "task {}: {}; the task is ended", id,
            fmt::format(fmt::runtime(disobeyed ? "its worker has not answered pegasusd for {}"
                                               : "a kernel runs for more than {} while others wait"),
                        control::text_of_time(deps_.options.runaway)));
  end(id, PEGASUS_CLOSE_WORKER);
}

void Sessions::end_all_of(Domain const& domain) {
  observers_.end_all_of(domain);
  for (auto const& [id, session] : tasks_)
    if (session->task.domain == &domain) end(id, PEGASUS_CLOSE_SHUTDOWN);
}

void Sessions::end(TaskId id, pegasus_close_reason reason) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end() || found->second->leaving) return;
  Session& session = *found->second;
  session.leaving = true;
  ++session.task.domain->ending;
  session.close_reason = reason;
  session.task.worker.kill();
  session.kill_timer.expires_after(kill_timeout);
  session.kill_timer.async_wait([this, id](boost::system::error_code error) {
    if (!error) on_kill_timeout(id);
  });
}

void Sessions::on_worker_exit(TaskId id) {
  std::unique_ptr<Session> const session = std::move(tasks_.extract(id).mapped());
  Domain& domain = *session->task.domain;
  Accelerator& accelerator = *domain.accelerator;
  WorkerEnd const end = session->task.worker.reap();
  session->lines->finish();
  if (!session->leaving) log_exit(*session, end);
  if (!session->stuck) detach(*session); // not earlier: the worker may still write its lines
  if (session->stuck)
    accelerator.stuck(-1);
  else if (session->leaving)
    --domain.ending;
  accelerator.free_slot(id);
  if (--domain.tasks == 0) {
    deps_.domains.end_settings_of_tasks(domain);
    drop_if_gone(domain);
    deps_.domains.share_memory(); // the memory that it was promised is free
  }
}

// For a worker that we did not end.
void Sessions::log_exit(Session& session, WorkerEnd const& end) {
  Domain& domain = *session.task.domain;
  deps_.log(spdlog::level::warn, "task {}: its worker {}", session.task.id, end.how);
  if (std::uint64_t const kills = domain.control_group.oom_kills();
      kills > std::exchange(domain.oom_kills, kills))
    deps_.log(spdlog::level::warn,
              "domain {}: its workers have used up their host memory, and one was ended for it; pegasusctl "
              "set {} host-memory=SIZE gives them more",
              domain.name, domain.name);
  session.close_reason =
      end.status == worker::Exit::broken_ring ? PEGASUS_CLOSE_PROTOCOL : PEGASUS_CLOSE_WORKER;
  if (end.status == worker::Exit::no_context) domain.accelerator->failed();
}

void Sessions::detach(Session& session) {
  Task const& task = session.task;
  session.link->close(session.close_reason);
  deps_.accelerators.on_schedulers_thread([&] {
    deps_.accelerators.totals().detach(task.id, task.domain->id);
    task.domain->accelerator->scheduler().detach(task.id);
    deps_.accelerators.cpu_watch().detach(task.domain->id, task.peer.pid);
  });
  orders_.left(task.id); // nobody waits for an answer of a worker that cannot give one
}

// Linux cannot end the worker, mostly because a driver call does not return. It executes no instruction of
// its own. Its slot and memory stay taken, but nothing waits for it.
void Sessions::on_kill_timeout(TaskId id) {
  auto const found = tasks_.find(id);
  bool const waited_for = found != tasks_.end() && found->second->leaving &&
                          found->second->kill_timer.expiry() <= std::chrono::steady_clock::now();
  if (!waited_for) return; // another task has its slot now
  Session& session = *found->second;
  Domain& domain = *session.task.domain;
  Accelerator& accelerator = *domain.accelerator;
  spdlog::error("task {}: its worker {} was killed but has not exited: giving it up; new domains avoid "
                "accelerator {} if there is another",
                id, session.task.worker.pid(), accelerator.index());
  session.stuck = true;
  --domain.ending;
  accelerator.stuck(1);
  accelerator.free_engine(id);
  detach(session);
}

void Sessions::stop() {
  spdlog::info("stopping: ending {}", control::counted(tasks_.size(), "task"));
  for (auto const& [id, session] : tasks_)
    session->task.worker.kill();
  auto const until = std::chrono::steady_clock::now() + kill_timeout;
  for (auto& [id, session] : tasks_) {
    if (!session->task.worker.reap_until(until))
      spdlog::error("task {}: its worker {} was killed but has not exited: leaving it behind", id,
                    session->task.worker.pid());
    if (!session->stuck) session->link->close(PEGASUS_CLOSE_SHUTDOWN);
  }
  observers_.stop();
}

std::size_t Sessions::count_on(Accelerator const& accelerator) const {
  return count_if(tasks_,
                  [&](auto const& session) { return session->task.domain->accelerator == &accelerator; });
}

std::size_t Sessions::pageable_on(Accelerator const& accelerator) const {
  return count_if(tasks_, [&](auto const& session) {
    return session->task.domain->accelerator == &accelerator &&
           session->task.worker.usage().pageable.load() != 0;
  });
}

} // namespace pegasus::daemon
