// SPDX-License-Identifier: Apache-2.0
// How a guest becomes a task: its domain, its seat on the accelerator, its worker. What any guest can make
// the daemon keep is bounded here.
#include "domA/daemon/daemon.h"
#include "domA/daemon/memory_shares.h"
#include "domA/daemon/selection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

namespace pegasus::daemon {
namespace {

using link::Refusal;

constexpr std::size_t domains_max = 1024;
constexpr std::uint32_t tasks_per_domain_max = software::EnginePage::seats / 4;
constexpr std::uint32_t tasks_per_user_max = software::EnginePage::seats / 2;

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

void limit_memory(Domain const& domain, std::uint64_t bytes) {
  domain.page.as<worker::DomainPage>().memory.limit_bytes = bytes;
}

} // namespace

tl::expected<Domain*, std::string> Daemon::domain_named(std::string const& name) {
  if (auto const found = domains_.find(name); found != domains_.end()) return &found->second;
  if (!link::valid_domain_name(name))
    return tl::unexpected(fmt::format("\"{}\" is not a domain's name: {}", name, link::domain_name_rule));
  if (domains_.size() >= domains_max && !forget_oldest_domain())
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

// The oldest that has no tasks and that no operator set anything of. Its statistics go with it.
bool Daemon::forget_oldest_domain() {
  auto oldest = domains_.end();
  for (auto entry = domains_.begin(); entry != domains_.end(); ++entry) {
    Domain const& domain = entry->second;
    bool const forgettable = domain.tasks == 0 && !domain.kept;
    if (forgettable && (oldest == domains_.end() || domain.id < oldest->second.id)) oldest = entry;
  }
  if (oldest == domains_.end()) return false;
  drop(oldest->first);
  return true;
}

void Daemon::drop(std::string const& name) {
  auto const found = domains_.find(name);
  for (auto const& accelerator : accelerators_)
    accelerator->scheduler().forget_domain(found->second.id);
  cpu_watch_.forget(found->second.id);
  domains_.erase(found);
  share_memory();
}

void Daemon::set_domain(std::string const& name, xen::Settings const& settings) {
  auto const named = domain_named(name);
  if (!named) return report(named.error());
  Domain& domain = **named;
  domain.kept = true;
  domain.gone = false;
  domain.guest = settings.guest;
  cpu_watch_.set_guest(domain.id, settings.guest);
  domain.credits = settings.credits;
  domain.memory_limit = settings.memory_bytes;
  domain.slo = settings.slo;
  domain.latency_slice = settings.latency_slice;
  apply(domain);
}

void Daemon::forget_domain(std::string const& name) {
  auto const found = domains_.find(name);
  if (found == domains_.end()) return;
  found->second.gone = true;
  if (found->second.tasks == 0) drop(name);
}

void Daemon::report(std::string const& problem) { guest_log_(spdlog::level::warn, "{}", problem); }

// Makes a domain's settings effective, for its running tasks too.
void Daemon::apply(Domain const& domain) {
  if (domain.accelerator != nullptr)
    domain.accelerator->scheduler().set_domain(
        domain.id, {.credits = domain.credits, .slo = domain.slo, .latency_slice = domain.latency_slice});
  share_memory();
}

// With one accelerator a domain that has not used it yet counts as on it; with several nobody knows where it
// will be.
void Daemon::share_memory() {
  for (auto const& [name, domain] : domains_)
    if (domain.accelerator == nullptr)
      limit_memory(domain, domain.memory_limit == 0 ? largest_memory() : domain.memory_limit);
  for (auto const& accelerator : accelerators_) {
    std::vector<Domain*> here;
    std::vector<std::uint64_t> set;
    for (auto& [name, domain] : domains_)
      if (domain.accelerator == accelerator.get() ||
          (domain.accelerator == nullptr && accelerators_.size() == 1)) {
        here.push_back(&domain);
        set.push_back(domain.memory_limit);
      }
    std::vector<std::uint64_t> const shares = memory_shares(accelerator->memory_bytes(), set);
    for (std::size_t i = 0; i < here.size(); ++i)
      limit_memory(*here[i], shares[i]);
  }
}

// For a domain without tasks.
void Daemon::choose_accelerator(Domain& domain) {
  if (domain.pinned) {
    domain.accelerator = accelerators_[*domain.pinned].get();
    return apply(domain);
  }
  std::vector<Candidate> candidates;
  for (auto const& accelerator : accelerators_)
    candidates.push_back({.capability = capability(accelerator->found().profile),
                          .free_memory = accelerator->memory_bytes() -
                                         std::min(accelerator->memory_bytes(), accelerator->memory_used()),
                          .failing = accelerator->failing()});
  for (auto const& [name, other] : domains_) {
    if (other.tasks == 0) continue;
    Candidate& its = candidates[other.accelerator->index()];
    its.credits += other.credits;
    its.slo += other.slo;
    its.violated = its.violated || other.accelerator->seen().service(other.id).violated;
  }
  std::size_t const best = select_accelerator(
      candidates, {.credits = domain.credits, .memory = domain.memory_limit, .slo = domain.slo});
  domain.accelerator = accelerators_[best].get();
  apply(domain);
}

tl::expected<TaskId, Refusal> Daemon::seat_for(Domain const& domain, uid_t user) const {
  if (domain.tasks >= tasks_per_domain_max)
    return tl::unexpected(
        Refusal{EAGAIN, fmt::format("domain {} has {} tasks already, the most of one domain: end one",
                                    domain.name, domain.tasks)});
  auto const same_user = std::ranges::count_if(
      seats_, [user](auto const& entry) { return entry.second->task.peer.user == user; });
  if (same_user >= tasks_per_user_max)
    return tl::unexpected(Refusal{
        EAGAIN, fmt::format("user {} has {} tasks already, the most of one user: end one", user, same_user)});
  for (TaskId seat = 0; seat < software::EnginePage::seats; ++seat)
    if (!seats_.contains(seat) &&
        std::ranges::all_of(accelerators_, [seat](auto const& one) { return one->seat_free(seat); }))
      return seat;
  return tl::unexpected(Refusal{
      EAGAIN, fmt::format("there are {} tasks already, the most that are served: end one", seats_.size())});
}

tl::expected<pegasus_welcome, Refusal> Daemon::admit(std::string const& name, link::Hello const& hello,
                                                     link::Peer const& peer,
                                                     std::shared_ptr<link::GuestLink> link) {
  auto const named = domain_named(name);
  if (!named) return tl::unexpected(Refusal{ENOSPC, named.error()});
  Domain& domain = **named;
  auto const seat = seat_for(domain, peer.user);
  if (!seat) return tl::unexpected(seat.error());
  if (domain.tasks == 0) choose_accelerator(domain);
  Accelerator& accelerator = *domain.accelerator;
  ring::Geometry const geometry = ring::geometry_for(hello.slots, hello.arena_bytes);
  auto const channel = link->make_channel(geometry);
  if (!channel) return tl::unexpected(Refusal{ENOMEM, channel.error()});
  auto worker = WorkerProcess::start(jailer_, options_.worker_program,
                                     {geometry, *channel, *seat, accelerator.memory_bytes(),
                                      accelerator.found().device, accelerator.page_fd(), domain.page.fd()});
  if (!worker) {
    guest_log_(spdlog::level::err, "no worker for a task of domain {}: {}", domain.name, worker.error());
    return tl::unexpected(Refusal{ENOMEM, worker.error()});
  }
  int const watched = fcntl(worker->pidfd(), F_DUPFD_CLOEXEC, 0);
  int const said = fcntl(worker->said(), F_DUPFD_CLOEXEC, 0);
  if (watched < 0 || said < 0) {
    std::string const error = std::strerror(errno);
    link::UniqueFd const neither(watched), nor(said);
    worker->kill();
    (void)worker->reap();
    return tl::unexpected(Refusal{EMFILE, fmt::format("no descriptors left: {}", error)});
  }
  auto entry = std::make_unique<Seat>(Seat{{*seat, &domain, peer, hello.program, std::move(*worker)},
                                           std::move(link),
                                           boost::asio::posix::stream_descriptor(io_, watched),
                                           WorkerLines::follow(io_, said, [this, id = *seat](auto line) {
                                             guest_log_(spdlog::level::warn, "task {}: {}", id, line);
                                           })});
  Task const& task = entry->task;
  seats_.emplace(*seat, std::move(entry));
  ++domain.tasks;
  cpu_watch_.attach(domain.id, peer.pid);
  accelerator.scheduler().attach(*seat, domain.id, {task.worker.gate(), task.worker.usage()},
                                 task.worker.bell());
  watch_worker(*seat);
  accelerator.tasks_changed(tasks_on(accelerator));
  guest_log_(spdlog::level::info, "task {} of domain {}: {} (process {}), worker {}, accelerator {}", *seat,
             domain.name, task.program, peer.pid, task.worker.pid(), accelerator.index());

  pegasus_welcome welcome = link::make_welcome();
  welcome.channel_bytes = geometry.total_bytes;
  welcome.slots = geometry.slots;
  welcome.arena_bytes = geometry.arena_bytes;
  welcome.task = *seat;
  welcome.device =
      wire_profile(accelerator.found().profile, domain.page.as<worker::DomainPage>().memory.limit_bytes);
  return welcome;
}

} // namespace pegasus::daemon
