// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/daemon.h"

#include "domA/daemon/directory.h"
#include "domA/device/software/software_device.h"
#include "frontend/protocol/channel.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace pegasus::daemon {
namespace {

constexpr std::size_t domains_max = 1024; // created by anyone who may connect, so bounded

pegasus_device_profile wire_profile(device::Profile const& profile, std::uint64_t memory_bytes) {
  pegasus_device_profile wire{};
  profile.name.copy(wire.name, sizeof wire.name - 1);
  std::copy(profile.uuid.begin(), profile.uuid.end(), wire.uuid);
  wire.memory_bytes = memory_bytes;
  wire.driver_version = profile.driver_version;
  wire.attribute_count = PEGASUS_ATTRIBUTES;
  static_assert(std::tuple_size_v<decltype(profile.attribute)> == PEGASUS_ATTRIBUTES);
  std::copy(profile.attribute.begin(), profile.attribute.end(), wire.attribute);
  return wire;
}

} // namespace

tl::expected<std::unique_ptr<Daemon>, std::string> Daemon::create(boost::asio::io_context& io,
                                                                  Options const& options) {
  if (auto made = make_directory(options.directory); !made) return tl::unexpected(made.error());
  auto guests = listen_at(options.directory + "/guest.sock", SOCK_SEQPACKET);
  if (!guests) return tl::unexpected(guests.error());
  auto control = listen_at(options.directory + "/control.sock", SOCK_STREAM, 0600);
  if (!control) return tl::unexpected(control.error());
  auto accelerator = link::SharedMemory::create("pegasus-accelerator", sizeof(worker::AcceleratorPage));
  if (!accelerator) return tl::unexpected(accelerator.error());
  std::unique_ptr<Daemon> daemon(new Daemon(io, options, std::move(*accelerator)));
  daemon->guests_.emplace(io, std::move(*guests), *daemon);
  daemon->control_.emplace(io, std::move(*control), *daemon);
  return daemon;
}

Daemon::Daemon(boost::asio::io_context& io, Options const& options, link::SharedMemory accelerator)
    : io_(io), options_(options), profile_(software::software_profile(options.memory_bytes)),
      accelerator_(std::move(accelerator)),
      scheduler_(io, {policies::find(options.policy),
                      {.tick = options.tick},
                      options.runaway,
                      [this](TaskId task) { give_up(task); },
                      [this] { return software::owner(accelerator_.as<worker::AcceleratorPage>().engine); }}),
      engine_watch_(io, accelerator_.as<worker::AcceleratorPage>().engine, options.runaway,
                    [this](TaskId task) { give_up(task); }),
      signals_(io, SIGTERM, SIGINT) {
  accelerator_.as<worker::AcceleratorPage>().memory.limit_bytes = options.memory_bytes;
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) stop();
  });
}

tl::expected<Domain*, std::string> Daemon::domain_named(std::string const& name) {
  if (auto const found = domains_.find(name); found != domains_.end()) return &found->second;
  if (!link::valid_domain_name(name))
    return tl::unexpected(fmt::format("\"{}\" is not a domain's name: {}", name, link::domain_name_rule));
  if (domains_.size() >= domains_max)
    return tl::unexpected(fmt::format("there are {} domains already, the most that are kept", domains_max));
  auto page = link::SharedMemory::create("pegasus-domain", sizeof(worker::DomainPage));
  if (!page) return tl::unexpected(page.error());
  Domain& domain = domains_[name];
  domain.id = next_domain_++;
  domain.name = name;
  domain.page = std::move(*page);
  apply(domain);
  return &domain;
}

// Makes a domain's settings effective, for its running tasks too.
void Daemon::apply(Domain& domain) {
  std::uint64_t const limit =
      domain.memory_limit == 0 ? options_.memory_bytes : std::min(domain.memory_limit, options_.memory_bytes);
  domain.page.as<worker::DomainPage>().memory.limit_bytes = limit;
  scheduler_.set_domain(domain.id, {.credits = domain.credits, .slo = domain.slo});
}

std::optional<TaskId> Daemon::free_seat() const {
  for (TaskId seat = 0; seat < software::EnginePage::seats; ++seat)
    if (!seats_.contains(seat)) return seat;
  return std::nullopt;
}

tl::expected<GuestHost::Admission, link::Refusal> Daemon::admit(link::Hello const& hello,
                                                                std::shared_ptr<GuestConnection> connection) {
  auto const domain = domain_named(hello.domain.empty() ? "default" : hello.domain);
  if (!domain) return tl::unexpected(link::Refusal{ENOSPC, domain.error()});
  auto const seat = free_seat();
  if (!seat)
    return tl::unexpected(link::Refusal{
        EAGAIN,
        fmt::format("{} tasks use this accelerator already, the most it serves: end one", seats_.size())});
  ring::Geometry const geometry = ring::geometry_for(hello.slots, hello.arena_bytes);
  auto worker = WorkerProcess::start(options_.worker_program,
                                     {geometry, *seat, options_.memory_bytes, accelerator_.fd(),
                                      (*domain)->page.fd(), scheduler_.bell_fd()});
  if (!worker) {
    spdlog::error("no worker for a task of domain {}: {}", (*domain)->name, worker.error());
    return tl::unexpected(link::Refusal{ENOMEM, worker.error()});
  }
  int const watched = fcntl(worker->pidfd(), F_DUPFD_CLOEXEC, 0);
  if (watched < 0) {
    std::string const error = std::strerror(errno);
    worker->kill();
    (void)worker->reap();
    return tl::unexpected(link::Refusal{EMFILE, fmt::format("no descriptors left: {}", error)});
  }
  auto entry = std::make_unique<Seat>(Seat{{*seat, (*domain)->id, hello, std::move(*worker)},
                                           std::move(connection),
                                           boost::asio::posix::stream_descriptor(io_, watched)});
  Task const& task = entry->task;
  seats_.emplace(*seat, std::move(entry));
  scheduler_.attach(*seat, (*domain)->id, task.worker.gate(), task.worker.usage());
  watch_worker(*seat);
  engine_watch_.tasks_changed(seats_.size());
  spdlog::info("task {} of domain {}: {} (process {}), worker {}", *seat, (*domain)->name, hello.program,
               hello.task_hint, task.worker.pid());

  Admission admission{*seat, link::make_welcome(), task.worker.channel_fd()};
  admission.welcome.channel_bytes = geometry.total_bytes;
  admission.welcome.slots = geometry.slots;
  admission.welcome.arena_bytes = geometry.arena_bytes;
  admission.welcome.task = *seat;
  admission.welcome.device =
      wire_profile(profile_, (*domain)->page.as<worker::DomainPage>().memory.limit_bytes);
  return admission;
}

void Daemon::watch_worker(TaskId id) {
  seats_.at(id)->ended.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                  [this, id](boost::system::error_code error) {
                                    if (!error) worker_ended(id);
                                  });
}

// When the seat is nobody's (a hostile worker wrote it), taking it out of the engine is all that is left to
// do.
void Daemon::give_up(TaskId id) {
  spdlog::warn("task {}: a kernel runs for more than {} ms while others wait; the task is ended", id,
               options_.runaway.count());
  if (seats_.contains(id))
    remove(id, PEGASUS_CLOSE_WORKER);
  else
    (void)software::evict(accelerator_.as<worker::AcceleratorPage>().engine, id);
}

void Daemon::guest_left(std::uint32_t task) { remove(task, PEGASUS_CLOSE_GUEST_LEFT); }

// Ends the worker; its seat is free when the process is gone.
void Daemon::remove(TaskId id, pegasus_close_reason reason) {
  auto const found = seats_.find(id);
  if (found == seats_.end() || found->second->leaving) return;
  found->second->leaving = true;
  found->second->close_reason = reason;
  found->second->task.worker.kill();
}

void Daemon::worker_ended(TaskId id) {
  constexpr std::string_view broken_ring = "exited with status 71"; // worker/main.cpp
  std::unique_ptr<Seat> const seat = std::move(seats_.extract(id).mapped());
  std::string const how = seat->task.worker.reap();
  if (!seat->leaving) {
    spdlog::warn("task {}: its worker {}", id, how);
    seat->close_reason = how == broken_ring ? PEGASUS_CLOSE_PROTOCOL : PEGASUS_CLOSE_WORKER;
  }
  seat->task.worker.close_channel(seat->close_reason); // only now does nobody else write the worker's lines
  seat->connection->close();
  auto& accelerator = accelerator_.as<worker::AcceleratorPage>();
  (void)software::evict(accelerator.engine, id);
  accelerator.memory.evict(id);
  for (auto& [name, domain] : domains_)
    if (domain.id == seat->task.domain) domain.page.as<worker::DomainPage>().memory.evict(id);
  scheduler_.detach(id);
  engine_watch_.tasks_changed(seats_.size());
}

void Daemon::stop() {
  spdlog::info("stopping; {} tasks lose their accelerator", seats_.size());
  guests_->stop();
  control_->stop();
  for (auto& [id, seat] : seats_) {
    seat->task.worker.kill();
    (void)seat->task.worker.reap();
    seat->task.worker.close_channel(PEGASUS_CLOSE_SHUTDOWN);
  }
  scheduler_.stop();
  engine_watch_.tasks_changed(0);
  io_.stop();
}

} // namespace pegasus::daemon
