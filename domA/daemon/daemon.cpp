// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/daemon.h"

#include "domA/daemon/directory.h"

#include <algorithm>
#include <csignal>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace pegasus::daemon {

tl::expected<std::unique_ptr<Daemon>, std::string> Daemon::create(boost::asio::io_context& io,
                                                                  Options const& options) {
  auto claim = claim_directory(options.directory);
  if (!claim) return tl::unexpected(claim.error());
  auto chosen = choose_accelerator(options);
  if (!chosen) return tl::unexpected(chosen.error());
  auto guests = listen_at(options.directory + guest_socket, SOCK_SEQPACKET);
  if (!guests) return tl::unexpected(guests.error());
  auto control = listen_at(options.directory + control_socket, SOCK_STREAM, 0600);
  if (!control) return tl::unexpected(control.error());
  auto accelerator = link::SharedMemory::create("pegasus-accelerator", sizeof(worker::AcceleratorPage));
  if (!accelerator) return tl::unexpected(accelerator.error());
  std::unique_ptr<Daemon> daemon(new Daemon(io, options, std::move(*chosen), std::move(*accelerator)));
  daemon->claim_ = std::move(*claim);
  daemon->guests_.emplace(io, std::move(*guests), *daemon);
  daemon->control_.emplace(io, std::move(*control), *daemon);
  if (options.serve_xen && xen::Guests::present()) {
    auto xen = xen::Guests::open(*daemon);
    if (!xen) return tl::unexpected(xen.error() + " (or start pegasusd with --no-xen)");
    daemon->xen_.emplace(io, std::move(*xen));
    daemon->cpu_watch_.use(xen::Schedule::open());
  }
  return daemon;
}

Daemon::Daemon(boost::asio::io_context& io, Options const& options, ChosenAccelerator chosen,
               link::SharedMemory accelerator)
    : io_(io), options_(options), chosen_(std::move(chosen)), accelerator_(std::move(accelerator)),
      cpu_watch_(io, {.on_device = [this] { return scheduler_.domain_of(task_on_device()); },
                      .now = [this] { return scheduler_.now(); }}),
      scheduler_(io, {policies::find(options.policy),
                      {.tick = options.tick},
                      options.runaway,
                      [this](TaskId task) { give_up(task); },
                      [this] { return task_on_device(); },
                      [this](policies::DomainView& view, Time now) { return cpu_watch_.fill(view, now); },
                      [this](DomainId id, std::uint32_t vcpu) { cpu_watch_.gate_opened(id, vcpu); },
                      [this](bool there_is) { cpu_watch_.work(there_is); }}),
      engine_watch_(io, accelerator_.as<worker::AcceleratorPage>().engine, options.runaway,
                    [this](TaskId task) { give_up(task); }),
      signals_(io, SIGTERM, SIGINT) {
  accelerator_.as<worker::AcceleratorPage>().memory.limit_bytes = chosen_.memory_bytes;
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) stop();
  });
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
  auto const found = seats_.find(id);
  if (found == seats_.end()) return free_engine(id);
  if (found->second->leaving) return;
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
}

void Daemon::worker_ended(TaskId id) {
  constexpr std::string_view broken_ring = "exited with status 71"; // worker/main.cpp
  std::unique_ptr<Seat> const seat = std::move(seats_.extract(id).mapped());
  Task const& task = seat->task;
  std::string const how = task.worker.reap();
  if (!seat->leaving) {
    guest_log_(spdlog::level::warn, "task {}: its worker {}", id, how);
    seat->close_reason = how == broken_ring ? PEGASUS_CLOSE_PROTOCOL : PEGASUS_CLOSE_WORKER;
  }
  seat->link->close(seat->close_reason); // only now does nobody else write the worker's lines
  for (TaskId const again : std::set(std::move(unfreed_)))
    free_engine(again);
  free_engine(id);
  accelerator_.as<worker::AcceleratorPage>().memory.evict(id);
  task.domain->page.as<worker::DomainPage>().memory.evict(id);
  scheduler_.detach(id);
  cpu_watch_.detach(task.domain->id, task.peer.pid);
  if (--task.domain->tasks == 0 && task.domain->gone) drop(task.domain->name);
  engine_watch_.tasks_changed(seats_.size());
}

// A worker that writes into the engine's page without end can keep a seat from being freed. Nobody sits there
// until it is: its end, like any other, is another try.
void Daemon::free_engine(TaskId id) {
  if (!software::evict(accelerator_.as<worker::AcceleratorPage>().engine, id)) unfreed_.insert(id);
}

TaskId Daemon::task_on_device() const {
  return software::owner(accelerator_.as<worker::AcceleratorPage>().engine);
}

void Daemon::stop() {
  spdlog::info("stopping; {} tasks lose their accelerator", seats_.size());
  guests_->stop();
  control_->stop();
  if (xen_) xen_->stop();
  for (auto& [id, seat] : seats_) {
    seat->task.worker.kill();
    (void)seat->task.worker.reap();
    seat->link->close(PEGASUS_CLOSE_SHUTDOWN);
  }
  scheduler_.stop();
  cpu_watch_.stop();
  engine_watch_.tasks_changed(0);
  io_.stop();
}

} // namespace pegasus::daemon
