// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/scheduler.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <climits>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using boost::system::error_code;

// A worker rings at most once per sleep; one that was taken over may ring without end. This bounds what it
// costs.
constexpr std::chrono::microseconds bell_pause{50};
constexpr std::size_t trace_entries = 4096;

void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

Scheduler::Scheduler(boost::asio::io_context& io, Setup setup)
    : bell_(io, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), timer_(io), bell_pause_(io),
      setup_(std::move(setup)), policy_(setup_.policy->make(setup_.tunables)), gate_(wake),
      meter_(monitor::UsageMeter::Limits{.overrun = setup_.runaway}), service_(setup_.tunables.tick),
      trace_(trace_entries) {
  wait_for_bell();
}

Time Scheduler::now() const { return std::chrono::steady_clock::now() - setup_.started; }

void Scheduler::stop() {
  error_code ignored;
  bell_.close(ignored);
  timer_.cancel();
  bell_pause_.cancel();
}

void Scheduler::set_domain(DomainId domain, DomainSettings const& settings) {
  domains_[domain] = settings;
  schedule_point();
}

void Scheduler::forget_domain(DomainId domain) {
  domains_.erase(domain);
  baseline_.erase(domain);
  meter_.forget(domain);
  service_.forget(domain);
}

void Scheduler::attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage) {
  tasks_[task] = {domain, &usage, now(), false};
  meter_.attach(task, domain, now());
  gate_.attach(task, domain, gate, usage);
  schedule_point();
}

void Scheduler::detach(TaskId task) {
  read_usage(now()); // its last totals
  if (auto const found = tasks_.find(task); found != tasks_.end()) read_latency(task, *found->second.usage);
  gate_.detach(task);
  meter_.detach(task);
  tasks_.erase(task);
  schedule_point();
}

void Scheduler::use(policies::Entry const& policy) {
  setup_.policy = &policy;
  policy_ = policy.make(setup_.tunables);
  schedule_point();
}

void Scheduler::wait_for_bell() {
  bell_.async_wait(boost::asio::posix::descriptor_base::wait_read, [this](error_code error) {
    if (error) return;
    std::uint64_t rings = 0;
    (void)!read(bell_.native_handle(), &rings, sizeof rings);
    schedule_point();
    bell_pause_.expires_after(bell_pause);
    bell_pause_.async_wait([this](error_code aborted) {
      if (!aborted) wait_for_bell();
    });
  });
}

void Scheduler::schedule_point() {
  Time const at = now();
  read_usage(at);
  if (!gate_.settled()) {
    if (!gate_.settle()) {
      give_up_runaways(at);
      return arm_timer(at);
    }
    gates_opened(at);
  }
  decide();
}

void Scheduler::decide() {
  Time const at = now();
  Nanos schedule_age{0};
  std::vector<policies::DomainView> const domains = views(at, schedule_age);
  setup_.work(std::ranges::any_of(domains, [](auto const& domain) { return domain.calls_waiting > 0; }));
  policies::Decision next = policy_->decide({at, schedule_age, domains});
  bool const same_run = next.run == decision_.run;
  bool const new_turn = !same_run || next.reason != policies::Reason::unchanged;
  if (new_turn) turn_ended(next, at);
  decision_ = std::move(next);
  decided_by_ = setup_.policy->name;
  decided_ = at;
  change_since_ = at;
  if (!same_run) {
    if (gate_.apply(decision_.run, decision_.wake))
      gates_opened(at);
    else
      read_service(at); // they were closed
  } else if (new_turn) {
    turn_begins(at);
  }
  arm_timer(at);
}

bool Scheduler::running(DomainId domain) const {
  return gate_.settled() && std::binary_search(decision_.run.begin(), decision_.run.end(), domain);
}

} // namespace pegasus::daemon
