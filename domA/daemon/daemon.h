// SPDX-License-Identifier: Apache-2.0
// pegasusd: domains and tasks, and the wiring between guests, workers, scheduler and operators. Never sees a
// call.
#pragma once

#include "domA/daemon/accelerator.h"
#include "domA/daemon/control_server.h"
#include "domA/daemon/domains.h"
#include "domA/daemon/guest_log.h"
#include "domA/daemon/options.h"
#include "domA/daemon/promises.h"
#include "domA/daemon/request_error.h"
#include "domA/daemon/selection.h"
#include "domA/daemon/status_host.h"
#include "domA/daemon/waiting_line.h"
#include "domA/daemon/worker_lines.h"
#include "domA/guests/local/guest_server.h"
#include "domA/guests/xen/xen_domains.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace pegasus::control {
class CpuSchedule;
class Domain;
class Domains;
class Policy;
class PolicyRequest;
class Remove;
} // namespace pegasus::control

namespace pegasus::daemon {

class Daemon final : public guests::GuestHost, public xen::GuestsHost, public ControlHost {
public:
  // The error is a message for the operator.
  [[nodiscard]] static tl::expected<std::unique_ptr<Daemon>, std::string> create(boost::asio::io_context& io,
                                                                                 Options const& options);
  ~Daemon() override { scheduling_.stop(); }

  tl::expected<pegasus_welcome, guests::Refusal> admit(std::string const& domain, guests::Hello const& hello,
                                                       guests::Peer const& peer,
                                                       std::shared_ptr<guests::GuestLink> link) override;
  tl::expected<pegasus_welcome, guests::Refusal> admit(std::uint32_t guest, guests::Hello const& hello,
                                                       guests::Peer const& peer,
                                                       std::shared_ptr<guests::GuestLink> link) override;
  void guest_left(std::uint32_t task) override;
  void set_guest(std::string const& name, xen::Settings const& settings) override;
  void forget_guest(std::uint32_t guest) override;
  void report(std::string const& problem) override;
  void answer(control::Request const& request, control::Reply& reply) override;

private:
  struct Seat { // a task and what watches it
    Task task;
    std::shared_ptr<guests::GuestLink> link;
    boost::asio::posix::stream_descriptor ended; // the worker's pidfd
    std::shared_ptr<WorkerLines> said;
    boost::asio::steady_timer patience; // with a worker that was killed
    bool leaving = false;               // its end is our doing
    bool stuck = false;                 // the worker does not end: the task is given up, its seat is not
    pegasus_close_reason close_reason = PEGASUS_CLOSE_NONE;
  };

  // device: one that workers will use.
  Daemon(boost::asio::io_context& io, Options const& options, worker::DeviceChoice const& device);
  tl::expected<void, std::string> add_accelerator(FoundAccelerator found);

  // admission.cpp
  tl::expected<Domain*, std::string> local_domain(std::string const& name); // made if there is none
  void make_room_for_domain();
  void drop(Domain const& domain);
  void apply(Domain const& domain);
  void share_memory(Domain const* comes = nullptr); // comes: has no tasks yet, and is about to have some
  bool bound_host_memory(Domain& domain);           // false: the kernel refuses, and it is reported
  [[nodiscard]] std::string workers_lack() const;   // what they are not separated by, for operators
  tl::expected<TaskId, guests::Refusal> seat_for(Domain const& domain, uid_t user) const;
  tl::expected<pegasus_welcome, guests::Refusal> admit_to(Domain& domain, guests::Hello const& hello,
                                                          guests::Peer const& peer,
                                                          std::shared_ptr<guests::GuestLink> link);

  // placement.cpp
  tl::expected<void, guests::Refusal> place(Domain& domain);
  guests::Refusal not_admitted(Domain& domain);
  void wait_in_line(Domain& domain, std::string const& why);
  void review_line();
  enum class Counted { all, staying }; // staying: not domains whose last tasks are being ended
  [[nodiscard]] std::vector<Room> rooms_for(Domain const& domain, Counted counted) const; // all accelerators
  [[nodiscard]] std::vector<Candidate> candidates(Counted counted, Domain const& without) const;
  void look_at_load(std::vector<Candidate>& all, Domain const& without);
  // For a domain in use that is to be promised more than it is. Empty: that can be kept.
  [[nodiscard]] std::string promise_lack(Domain const& domain, std::uint64_t memory, double slo) const;

  void watch_worker(TaskId id);
  void worker_ended(TaskId id);
  void remove(TaskId id, pegasus_close_reason reason);
  void does_not_end(TaskId id);
  void take_off(Seat& seat); // its guest, and who schedules, hear no more of it
  void give_up(TaskId id);   // a call of it outlived the limit, unless it has gone since
  void stop();
  [[nodiscard]] Time now() const { return std::chrono::steady_clock::now() - started_; }
  [[nodiscard]] std::size_t tasks_on(Accelerator const& accelerator) const;
  [[nodiscard]] static std::uint64_t used_memory(Domain const& domain); // of the device's, in bytes
  [[nodiscard]] std::uint64_t largest_memory() const;                   // of an accelerator, in bytes

  // control_requests.cpp
  RequestOutcome change_domain(control::Request const& request);
  RequestOutcome attach(control::Attach const& wanted);
  RequestOutcome end_at_request();
  RequestOutcome remove_domain(control::Remove const& wanted);
  [[nodiscard]] std::string no_such_domain(std::string const& name) const;
  RequestOutcome switch_policy(control::PolicyRequest const& wanted);
  void count_since(std::string_view what); // from now on

  // descriptions.cpp
  struct Fairness { // on one accelerator, since the last reset
    std::uint32_t domains = 0;
    double credits = 0; // of these
    Nanos busy{0};      // also of those that have left
    double mmr = 1;
    double utilization = 0;
  };
  void describe_policy(policies::Entry const& entry, control::Policy& out) const;
  void describe_policies(control::Reply& reply) const;
  void describe_settings(Domain const& domain, control::Domain& out) const;
  void describe_admission(Domain const& domain, control::Domain& out) const;
  void describe_domains(control::Reply& reply);
  void describe_accelerators(control::Reply& reply);
  void describe_log(std::uint32_t entries, control::Reply& reply);
  // ... on the scheduling thread
  [[nodiscard]] Fairness fairness(Accelerator const& accelerator) const;
  void describe_use(Domain const& domain, control::Domain& out);
  void describe_schedule(Domain const& domain, control::CpuSchedule& out);
  void describe_shares(control::Domains& out);

  boost::asio::io_context& io_;
  Options options_;
  guests::UniqueFd claim_;             // on the directory
  std::optional<xen::XenDomains> xen_; // outlives the tasks of its guests
  ControlGroups control_groups_;       // outlive the domains
  Domains domains_;
  WaitingLine waiting_;
  boost::asio::steady_timer line_review_{io_};
  std::map<TaskId, std::unique_ptr<Seat>> seats_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  policies::Choice policy_;                // of all accelerators
  scheduler::SchedulingThread scheduling_; // ends first: the next, and the accelerators, are used there
  scheduler::CpuWatch cpu_watch_;
  Jailer jailer_;
  std::vector<std::unique_ptr<Accelerator>> accelerators_; // at least one
  std::string_view counting_since_ = "the start";
  GuestLog guest_log_;
  boost::asio::signal_set signals_;
  std::optional<local::GuestServer> guests_;
  std::optional<ControlServer> control_;
  StatusHost shown_{*this};
  std::optional<ControlServer> status_;
};

} // namespace pegasus::daemon
