// SPDX-License-Identifier: Apache-2.0
// Tasks from their guest's connect request to their worker's end: admitted, watched, ended, removed.
#pragma once

#include "domA/daemon/jailer.h"
#include "domA/daemon/observers.h"
#include "domA/daemon/placement.h"
#include "domA/daemon/worker_lines.h"
#include "domA/daemon/worker_orders.h"
#include "domA/guests/guest_link.h"
#include "domA/guests/xen/guests.h"

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <vector>

namespace pegasus::daemon {

class Sessions final : public guests::GuestHost, public xen::GuestsHost {
public:
  // All but `io` must outlive it.
  struct Dependencies {
    Options const& options;
    Accelerators& accelerators;
    DomainTable& domains;
    Placement& placement;
    Jailer& jailer;
    RateLimitedLog& log;
  };
  Sessions(boost::asio::io_context& io, Dependencies deps)
      : io_(io), deps_(deps), observers_(deps.accelerators, deps.log), orders_(deps.accelerators) {}

  // A program of a local domain, or of a guest of Xen that was set. The task's worker runs when this returns.
  tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(std::string const& domain, guests::ConnectRequest const& connect_request, guests::Peer const& peer,
        std::shared_ptr<guests::GuestLink> link) override;
  tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(std::uint32_t guest, guests::ConnectRequest const& connect_request, guests::Peer const& peer,
        std::shared_ptr<guests::GuestLink> link) override;
  void guest_left(std::uint32_t task) override;
  void detached(std::uint32_t task) override;
  void set_guest(std::uint32_t guest, std::string const& name, control::Settings const& settings) override;
  void forget_guest(std::uint32_t guest) override;
  void report(std::string const& problem) override;

  // Ignored if the task has left.
  void give_up(TaskId id); // one of its calls exceeded the limit, or its worker disobeys
  [[nodiscard]] WorkerOrders& orders() { return orders_; }
  void end_all_of(Domain const& domain);
  void stop(); // ends all tasks and waits for their workers, at most for some seconds

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::size_t count_on(Accelerator const& accelerator) const;
  // Of these tasks, those whose call buffer could not be pinned.
  [[nodiscard]] std::size_t pageable_on(Accelerator const& accelerator) const;
  template <class Use> void for_each_of(Domain const& domain, Use use) const { // use(Task const&)
    for (auto const& [id, session] : tasks_)
      if (session->task.domain == &domain) use(session->task);
  }

private:
  struct Session { // a task and what watches it
    Task task;
    std::shared_ptr<guests::GuestLink> link;
    boost::asio::posix::stream_descriptor exit_event; // the worker's pidfd
    std::shared_ptr<WorkerLines> lines;
    boost::asio::steady_timer kill_timer; // for a worker that was killed
    bool leaving = false;                 // we are ending it
    bool stuck = false;                   // the worker does not end: its task is given up, its slot is kept
    pegasus_close_reason close_reason = PEGASUS_CLOSE_NONE;
  };
  struct PendingConnect { // a guest that asked to connect
    Domain& domain;
    guests::ConnectRequest const& connect_request;
    guests::Peer const& peer;
    std::shared_ptr<guests::GuestLink> link;
    std::uint64_t call_buffer_bytes = 0; // of this machine's memory
    std::uint64_t host_window_bytes = 0; // that the guest has got
  };

  template <class Predicate> [[nodiscard]] std::size_t count(Predicate predicate) const { // of Task const&
    return static_cast<std::size_t>(
        std::ranges::count_if(tasks_, [&](auto const& entry) { return predicate(entry.second->task); }));
  }
  void leave(std::uint32_t task, pegasus_close_reason reason);
  void drop_if_gone(Domain const& domain); // and not in use any more

  // In sessions_admission.cpp:
  tl::expected<pegasus_connect_reply, guests::Rejection> admit(PendingConnect pending);
  [[nodiscard]] tl::expected<TaskId, guests::Rejection> free_slot(PendingConnect const& pending) const;
  [[nodiscard]] tl::expected<void, guests::Rejection> check_call_buffer(Domain const& domain,
                                                                        std::uint64_t bytes) const;
  [[nodiscard]] tl::expected<WorkerProcess, guests::Rejection>
  start_worker(PendingConnect& pending, TaskId id, ring::Geometry const& geometry);
  [[nodiscard]] tl::expected<void, guests::Rejection> watch(PendingConnect& pending, TaskId id,
                                                            WorkerProcess worker);

  void end(TaskId id, pegasus_close_reason reason); // ends its worker; the slot is free when that is gone
  void on_worker_exit(TaskId id);
  void log_exit(Session& session, WorkerEnd const& end);
  void on_kill_timeout(TaskId id);
  void detach(Session& session); // from its guest and the scheduler

  boost::asio::io_context& io_;
  Dependencies deps_;
  std::map<TaskId, std::unique_ptr<Session>> tasks_;
  Observers observers_;
  WorkerOrders orders_;
};

} // namespace pegasus::daemon
