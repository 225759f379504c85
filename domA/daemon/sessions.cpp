// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/sessions.h"

#include "control/quantity.h"

#include <boost/asio/post.hpp>
#include <fmt/core.h>
#include <utility>

namespace pegasus::daemon {
namespace {

// A process ends within milliseconds; destroying the context of a GPU may take a second.
constexpr std::chrono::seconds kill_timeout{5};

} // namespace

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
void Sessions::guest_left(std::uint32_t task) { leave(task, PEGASUS_CLOSE_GUEST_LEFT); }
void Sessions::detached(std::uint32_t task) { leave(task, PEGASUS_CLOSE_DETACHED); }

void Sessions::leave(std::uint32_t task, pegasus_close_reason reason) {
  if (!observers_.has(task)) return end(task, reason);
  boost::asio::post(io_, [this, task, reason] {
    if (observers_.has(task)) drop_if_gone(observers_.end(task, reason));
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
  return count([&](Task const& task) { return task.domain->accelerator == &accelerator; });
}

std::size_t Sessions::pageable_on(Accelerator const& accelerator) const {
  return count([&](Task const& task) {
    return task.domain->accelerator == &accelerator && task.worker.usage().pageable.load() != 0;
  });
}

} // namespace pegasus::daemon
