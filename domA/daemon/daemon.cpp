// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/daemon.h"

#include "domA/daemon/directory.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace pegasus::daemon {
namespace {

// The operator's tools are trusted. Of users each may look fifty times a second, however many tools it runs.
constexpr Visitors::Limits operators_limits{.per_user = 1024, .connections = 1024, .answer_every = {}};
constexpr Visitors::Limits users_limits{
    .per_user = 16, .connections = 256, .answer_every = std::chrono::milliseconds(20)};

// A process ends within milliseconds; the tear-down of a GPU's context may take a second.
constexpr std::chrono::seconds patience_with_the_killed{5};

} // namespace

tl::expected<std::unique_ptr<Daemon>, std::string> Daemon::create(boost::asio::io_context& io,
                                                                  Options const& options) {
  auto claim = claim_directory(options.directory, options.socket_group);
  if (!claim) return tl::unexpected(claim.error());
  auto found = find_accelerators(options);
  if (!found) return tl::unexpected(found.error());
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
  std::unique_ptr<Daemon> daemon(new Daemon(io, options, found->front().device));
  daemon->claim_ = std::move(*claim);
  for (FoundAccelerator& one : *found)
    if (auto const added = daemon->add_accelerator(std::move(one)); !added)
      return tl::unexpected(added.error());
  daemon->guests_.emplace(io, std::move(*guests), *daemon,
                          local::Identity(options.domains, options.cgroup_rules));
  daemon->control_.emplace(io, std::move(*control), *daemon, operators_limits);
  daemon->status_.emplace(io, std::move(*status), daemon->shown_, users_limits);
  if (options.serve_xen && xen::Guests::present()) {
    auto xen = xen::Guests::open(*daemon, options.guest_limits);
    if (!xen) return tl::unexpected(xen.error() + " (or start pegasusd with --no-xen)");
    daemon->xen_.emplace(io, std::move(*xen));
    daemon->scheduling_([&] { daemon->cpu_watch_.use(xen::Schedule::open()); });
  }
  return daemon;
}

Daemon::Daemon(boost::asio::io_context& io, Options const& options, worker::DeviceChoice const& device)
    : io_(io), options_(options), policy_(options.policy),
      cpu_watch_(scheduling_.io(), {.on_device =
                                        [this] {
                                          std::vector<scheduler::Caller> callers;
                                          for (auto const& one : accelerators_)
                                            std::ranges::copy(one->seen().on_device(),
                                                              std::back_inserter(callers));
                                          return callers;
                                        },
                                    .now = [this] { return now(); }}),
      jailer_(options.worker_program, options.worker_users, device), signals_(io, SIGTERM, SIGINT) {
  if (std::string const lack = workers_lack(); !lack.empty())
    spdlog::log(options.private_to_parent ? spdlog::level::info : spdlog::level::warn, "{}", lack);
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) stop();
  });
}

std::string Daemon::workers_lack() const {
  std::string_view const between = jailer_.missing().empty() || control_groups_.missing().empty() ? "" : "; ";
  return fmt::format("{}{}{}", jailer_.missing(), between, control_groups_.missing());
}

tl::expected<void, std::string> Daemon::add_accelerator(FoundAccelerator found) {
  auto const index = static_cast<std::uint32_t>(accelerators_.size());
  auto one = Accelerator::make(
      io_, scheduling_,
      {.index = index,
       .found = std::move(found),
       .scheduling = {.dispatcher = {.policy = options_.policy.policy,
                                     .tunables = options_.policy.tunables,
                                     .runaway = options_.runaway},
                      .cpu_watch = cpu_watch_,
                      .give_up =
                          [this](TaskId task) { boost::asio::post(io_, [=, this] { give_up(task); }); },
                      .started = started_},
       .tasks = [this, index] {
         std::vector<EngineWatch::Task> tasks;
         for (auto const& [id, seat] : seats_)
           if (seat->task.domain->accelerator == accelerators_[index].get() && !seat->leaving)
             tasks.push_back({id, &seat->task.worker.usage()});
         return tasks;
       }});
  if (!one) return tl::unexpected(one.error());
  accelerators_.push_back(std::move(*one));
  return {};
}

void Daemon::watch_worker(TaskId id) {
  seats_.at(id)->ended.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                  [this, id](boost::system::error_code error) {
                                    if (!error) worker_ended(id);
                                  });
}

void Daemon::give_up(TaskId id) {
  auto const found = seats_.find(id);
  if (found == seats_.end() || found->second->leaving) return;
  Accelerator& accelerator = *found->second->task.domain->accelerator;
  if (!scheduling_([&] { return accelerator.seen().given_up(id); })) return; // another has its seat by now
  guest_log_(spdlog::level::warn,
             "task {}: a kernel runs for more than {} ms while others wait; the task is ended", id,
             options_.runaway.count());
  remove(id, PEGASUS_CLOSE_WORKER);
}

void Daemon::guest_left(std::uint32_t task) { remove(task, PEGASUS_CLOSE_GUEST_LEFT); }

// Ends the worker; its seat is free when the process is gone.
void Daemon::remove(TaskId id, pegasus_close_reason reason) {
  auto const found = seats_.find(id);
  if (found == seats_.end() || found->second->leaving) return;
  found->second->leaving = true;
  found->second->close_reason = reason;
  found->second->task.worker.kill();
  found->second->patience.expires_after(patience_with_the_killed);
  found->second->patience.async_wait([this, id](boost::system::error_code error) {
    if (!error) does_not_end(id);
  });
}

void Daemon::worker_ended(TaskId id) {
  std::unique_ptr<Seat> const seat = std::move(seats_.extract(id).mapped());
  Task const& task = seat->task;
  Accelerator& accelerator = *task.domain->accelerator;
  WorkerEnd const end = task.worker.reap();
  seat->said->finish();
  if (!seat->leaving) {
    guest_log_(spdlog::level::warn, "task {}: its worker {}", id, end.how);
    if (std::uint64_t const ended = task.domain->control_group.ended();
        ended > std::exchange(task.domain->out_of_memory, ended))
      guest_log_(
          spdlog::level::warn,
          "domain {}: its workers have used up their host memory, and one was ended for it; pegasusctl "
          "set {} host-memory=SIZE gives them more",
          task.domain->name, task.domain->name);
    seat->close_reason =
        end.status == worker::Exit::broken_ring ? PEGASUS_CLOSE_PROTOCOL : PEGASUS_CLOSE_WORKER;
    if (end.status == worker::Exit::no_context) accelerator.failed();
  }
  if (!seat->stuck) take_off(*seat); // only now does nobody else write the worker's lines
  if (seat->stuck) accelerator.stuck(-1);
  accelerator.free_seat(id);
  if (--task.domain->tasks == 0) {
    if (task.domain->gone) drop(*task.domain);
    share_memory(); // what it was promised is free
  }
  accelerator.tasks_changed(tasks_on(accelerator));
}

void Daemon::take_off(Seat& seat) {
  Task const& task = seat.task;
  seat.link->close(seat.close_reason);
  scheduling_([&] {
    task.domain->accelerator->scheduler().detach(task.id);
    cpu_watch_.detach(task.domain->id, task.peer.pid);
  });
}

// Linux cannot end it: a driver's call that does not return, mostly. It executes no instruction of its own
// any more. What it has stays taken, its seat and its memory; but nobody waits for it.
void Daemon::does_not_end(TaskId id) {
  auto const found = seats_.find(id);
  bool const waited_for = found != seats_.end() && found->second->leaving &&
                          found->second->patience.expiry() <= std::chrono::steady_clock::now();
  if (!waited_for) return; // another has its seat by now
  Seat& seat = *found->second;
  Accelerator& accelerator = *seat.task.domain->accelerator;
  spdlog::error("task {}: its worker {} was killed and does not end: it is given up; new domains go to other "
                "accelerators than {} if there are any",
                id, seat.task.worker.pid(), accelerator.index());
  seat.stuck = true;
  accelerator.stuck(1);
  accelerator.free_engine(id);
  take_off(seat);
}

std::size_t Daemon::tasks_on(Accelerator const& accelerator) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      seats_, [&](auto const& entry) { return entry.second->task.domain->accelerator == &accelerator; }));
}

std::uint64_t Daemon::used_memory(Domain const& domain) {
  return domain.accelerator == nullptr ? 0 : domain.accelerator->memory().used_bytes(domain.id);
}

std::uint64_t Daemon::largest_memory() const {
  std::uint64_t largest = 0;
  for (auto const& accelerator : accelerators_)
    largest = std::max(largest, accelerator->memory_bytes());
  return largest;
}

void Daemon::stop() {
  spdlog::info("stopping; {} tasks lose their accelerator", seats_.size());
  guests_->stop();
  control_->stop();
  status_->stop();
  if (xen_) xen_->stop();
  for (auto const& [id, seat] : seats_)
    seat->task.worker.kill();
  auto const until = std::chrono::steady_clock::now() + patience_with_the_killed;
  for (auto& [id, seat] : seats_) {
    if (!seat->task.worker.reap_until(until))
      spdlog::error("task {}: its worker {} was killed and does not end: it is left behind", id,
                    seat->task.worker.pid());
    if (!seat->stuck) seat->link->close(PEGASUS_CLOSE_SHUTDOWN);
  }
  for (auto const& accelerator : accelerators_)
    accelerator->stop();
  scheduling_.stop();
  io_.stop();
}

} // namespace pegasus::daemon
