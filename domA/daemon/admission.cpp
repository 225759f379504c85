// SPDX-License-Identifier: Apache-2.0
// How a guest becomes a task: its domain, its seat, its worker; placement.cpp: its accelerator. What any
// guest can make the daemon keep is bounded here.
#include "domA/daemon/daemon.h"
#include "domA/daemon/memory_shares.h"
#include "domA/daemon/seats.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

namespace pegasus::daemon {
namespace {

using guests::Refusal;

// Of a map's values.
template <class Map, class Wanted> std::size_t count_if(Map const& map, Wanted wanted) {
  return static_cast<std::size_t>(
      std::ranges::count_if(map, [&](auto const& entry) { return wanted(entry.second); }));
}

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

tl::expected<Domain*, std::string> Daemon::local_domain(std::string const& name) {
  if (Domain* const known = domains_.named(name); known != nullptr) {
    if (!known->guest && known->gone)
      return tl::unexpected(
          fmt::format("domain {} is being removed: try again when its last task has ended", name));
    if (!known->guest) return known;
    return tl::unexpected(fmt::format(
        "domain {} is a guest of Xen, with domain id {}: a program outside of it takes another name", name,
        *known->guest));
  }
  if (!guests::valid_domain_name(name))
    return tl::unexpected(fmt::format("\"{}\" is not a domain's name: {}", name, guests::domain_name_rule));
  make_room_for_domain();
  auto const added = domains_.add(name);
  if (added) apply(**added);
  return added;
}

// The oldest that has no tasks and that no operator set anything of goes. Its statistics go with it.
void Daemon::make_room_for_domain() {
  if (!domains_.full()) return;
  Domain const* oldest = nullptr;
  for (auto const& [name, domain] : domains_) {
    bool const forgettable = domain.tasks == 0 && !domain.kept;
    if (forgettable && (oldest == nullptr || domain.id < oldest->id)) oldest = &domain;
  }
  if (oldest != nullptr) drop(*oldest);
}

void Daemon::drop(Domain const& domain) {
  scheduling_([&] {
    for (auto const& accelerator : accelerators_)
      accelerator->scheduler().forget_domain(domain.id);
    cpu_watch_.forget(domain.id);
  });
  waiting_.leave(domain.id);
  domains_.erase(domain);
  share_memory();
}

void Daemon::set_guest(std::string const& name, xen::Settings const& settings) {
  Domain* domain = domains_.of_guest(settings.guest);
  if (domain == nullptr) {
    make_room_for_domain();
    auto const added = domains_.add_guest(settings.guest, name);
    if (!added) return report(added.error());
    domain = *added;
    domain->kept = true;
    scheduling_([&] { cpu_watch_.set_guest(domain->id, settings.guest); });
  } else if (domain->wanted_name != name) {
    domains_.rename(*domain, name);
  }
  domain->gone = false;
  if (std::string const lack = promise_lack(*domain, settings.memory_bytes, settings.slo); !lack.empty())
    report(lack + ": its nodes in xenstore say so, and it cannot be relied on");
  domain->credits = settings.credits;
  domain->memory_limit = settings.memory_bytes;
  domain->slo = settings.slo;
  domain->latency_slice = settings.latency_slice;
  domain->host_memory = settings.host_memory_bytes;
  apply(*domain);
}

void Daemon::forget_guest(std::uint32_t guest) {
  Domain* const domain = domains_.of_guest(guest);
  if (domain == nullptr) return;
  domain->gone = true;
  if (domain->tasks == 0) drop(*domain);
}

void Daemon::report(std::string const& problem) { guest_log_(spdlog::level::warn, "{}", problem); }

// Makes a domain's settings effective, for its running tasks too.
void Daemon::apply(Domain const& domain) {
  if (domain.accelerator != nullptr)
    scheduling_([&] {
      domain.accelerator->scheduler().set_domain(
          domain.id, {.credits = domain.credits, .slo = domain.slo, .latency_slice = domain.latency_slice});
    });
  share_memory();
}

// With one accelerator a domain that has not used it yet counts as on it; with several nobody knows where it
// will be.
void Daemon::share_memory(Domain const* comes) {
  for (auto& [name, domain] : domains_)
    if (domain.accelerator == nullptr)
      domain.memory = {.bytes = domain.memory_limit == 0 ? largest_memory() : domain.memory_limit,
                       .pooled = domain.memory_limit == 0};
  for (auto const& accelerator : accelerators_) {
    std::vector<Domain*> here;
    std::vector<MemoryClaim> claims;
    for (auto& [name, domain] : domains_) {
      bool const on_it = domain.accelerator == accelerator.get() ||
                         (domain.accelerator == nullptr && accelerators_.size() == 1);
      bool const in_use = domain.tasks > 0 || &domain == comes;
      bool const waits = !in_use && waiting_.since(domain.id) &&
                         domain.pinned.value_or(accelerator->index()) == accelerator->index();
      if (!on_it && !waits) continue;
      here.push_back(on_it ? &domain : nullptr);
      claims.push_back({domain.memory_limit, in_use  ? MemoryClaim::Of::in_use
                                             : waits ? MemoryClaim::Of::waiting
                                                     : MemoryClaim::Of::idle});
    }
    std::vector<std::uint64_t> const shares = memory_shares(accelerator->memory_bytes(), claims);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i] == nullptr) continue;
      here[i]->memory = {.bytes = shares[i], .pooled = here[i]->memory_limit == 0};
      accelerator->memory().set(here[i]->id, here[i]->memory);
    }
  }
  for (auto& [name, domain] : domains_)
    (void)bound_host_memory(domain); // else as before
}

// Device memory on the CPU is its workers', and is bounded by the domain's quota.
bool Daemon::bound_host_memory(Domain& domain) {
  std::uint64_t bytes = domain.host_memory > 0 ? domain.host_memory : options_.host_memory;
  if (domain.accelerator != nullptr && !domain.accelerator->is_gpu()) bytes += domain.memory.bytes;
  // A task that starts is one more.
  if (domain.control_group.bound(
          {.memory_bytes = bytes, .tasks = domain.tasks + 1, .credits = domain.credits}))
    return true;
  report(fmt::format("domain {}: the kernel does not bound its workers ({} bytes of host memory): {}",
                     domain.name, bytes, std::strerror(errno)));
  return false;
}

tl::expected<TaskId, Refusal> Daemon::seat_for(Domain const& domain, uid_t user) const {
  auto const none = no_seat(
      {.domain = domain.name,
       .user = user,
       .of_guest = domain.guest.has_value(),
       .tasks_of_domain = domain.tasks,
       .tasks_of_user = count_if(seats_, [user](auto const& seat) { return seat->task.peer.user == user; }),
       .taken = seats_.size(),
       .guests_that_wait = count_if(
           domains_, [](Domain const& each) { return each.guest && each.tasks == 0 && !each.gone; })});
  if (none) return tl::unexpected(Refusal{EAGAIN, *none});
  for (TaskId seat = 0; seat < shared::seat_count; ++seat)
    if (!seats_.contains(seat) &&
        std::ranges::all_of(accelerators_, [seat](auto const& one) { return one->seat_free(seat); }))
      return seat;
  return tl::unexpected(Refusal{EAGAIN,
                                "all seats are taken, or wait for the engine to be rid of a task that "
                                "was killed: try again"});
}

tl::expected<pegasus_welcome, Refusal> Daemon::admit(std::string const& name, guests::Hello const& hello,
                                                     guests::Peer const& peer,
                                                     std::shared_ptr<guests::GuestLink> link) {
  auto const domain = local_domain(name);
  if (!domain) return tl::unexpected(Refusal{ENOSPC, domain.error()});
  return admit_to(**domain, hello, peer, std::move(link));
}

tl::expected<pegasus_welcome, Refusal> Daemon::admit(std::uint32_t guest, guests::Hello const& hello,
                                                     guests::Peer const& peer,
                                                     std::shared_ptr<guests::GuestLink> link) {
  Domain* const domain = domains_.of_guest(guest);
  if (domain == nullptr)
    return tl::unexpected(Refusal{ENOSPC, "there are too many domains: the operator's log says more"});
  return admit_to(*domain, hello, peer, std::move(link));
}

tl::expected<pegasus_welcome, Refusal> Daemon::admit_to(Domain& domain, guests::Hello const& hello,
                                                        guests::Peer const& peer,
                                                        std::shared_ptr<guests::GuestLink> link) {
  auto const seat = seat_for(domain, peer.user);
  if (!seat) return tl::unexpected(seat.error());
  if (domain.tasks == 0)
    if (auto const placed = place(domain); !placed) return tl::unexpected(placed.error());
  if (!domain.control_group.exists()) {
    auto group = control_groups_.make(domain.id);
    if (!group) return tl::unexpected(Refusal{ENOMEM, group.error()});
    domain.control_group = std::move(*group);
  }
  if (!bound_host_memory(domain))
    return tl::unexpected(Refusal{ENOMEM, "this machine does not bound the host memory of the domain: the "
                                          "operator's log says why"});
  Accelerator& accelerator = *domain.accelerator;
  ring::Geometry const geometry = ring::geometry_for(hello.slots, hello.arena_bytes);
  auto const channel = link->make_channel(geometry);
  if (!channel) return tl::unexpected(Refusal{ENOMEM, channel.error()});
  accelerator.memory().take(*seat, domain.id, domain.memory); // its worker charges from the beginning
  auto worker =
      WorkerProcess::start(jailer_, options_.worker_program,
                           {geometry, *channel, *seat, accelerator.memory_bytes(), accelerator.found().device,
                            accelerator.shared_fds(), &domain.control_group});
  if (!worker) {
    accelerator.memory().leave(*seat);
    guest_log_(spdlog::level::err, "no worker for a task of domain {}: {}", domain.name, worker.error());
    return tl::unexpected(Refusal{ENOMEM, worker.error()});
  }
  guests::UniqueFd watched(fcntl(worker->pidfd(), F_DUPFD_CLOEXEC, 0));
  guests::UniqueFd said(fcntl(worker->said(), F_DUPFD_CLOEXEC, 0));
  int const error = watched.get() < 0 || said.get() < 0 ? errno : scheduling_([&] {
    gate::GatePage& gate = worker->gate();
    if (!accelerator.scheduler().attach(*seat, domain.id, {gate, worker->usage()}, worker->bell()))
      return errno;
    cpu_watch_.attach(domain.id, peer.pid);
    return 0;
  });
  if (error != 0) {
    worker->kill();
    (void)worker->reap();
    accelerator.memory().leave(*seat);
    return tl::unexpected(
        Refusal{EMFILE, fmt::format("pegasusd cannot watch another worker: {}", std::strerror(error))});
  }
  auto entry = std::make_unique<Seat>(Seat{{*seat, &domain, peer, hello.program, std::move(*worker)},
                                           std::move(link),
                                           boost::asio::posix::stream_descriptor(io_, watched.release()),
                                           WorkerLines::follow(io_, said.release(),
                                                               [this, id = *seat](auto line) {
                                                                 guest_log_(spdlog::level::warn,
                                                                            "task {}: {}", id, line);
                                                               }),
                                           boost::asio::steady_timer(io_)});
  Task const& task = entry->task;
  seats_.emplace(*seat, std::move(entry));
  ++domain.tasks;
  watch_worker(*seat);
  accelerator.tasks_changed(tasks_on(accelerator));
  guest_log_(spdlog::level::info, "task {} of domain {}: {} (process {}), worker {}, accelerator {}", *seat,
             domain.name, task.program, peer.pid, task.worker.pid(), accelerator.index());

  pegasus_welcome welcome = guests::make_welcome();
  welcome.channel_bytes = geometry.total_bytes;
  welcome.slots = geometry.slots;
  welcome.arena_bytes = geometry.arena_bytes;
  welcome.task = *seat;
  welcome.device = wire_profile(accelerator.found().profile, domain.memory.bytes);
  return welcome;
}

} // namespace pegasus::daemon
