// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/domain_table.h"

#include "control/domain_name.h"
#include "control/quantity.h"
#include "domA/placement/memory_shares.h"
#include "domA/worker/start.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <vector>

namespace pegasus::daemon {
namespace {

constexpr std::size_t max_idle_caches = 16;

} // namespace

std::uint64_t used_memory(Domain const& domain) {
  return domain.accelerator == nullptr ? 0 : domain.accelerator->memory().used_bytes(domain.id);
}

tl::expected<Domain*, control::RequestError> DomainTable::local(std::string const& name) {
  if (Domain* const existing = domains_.named(name); existing != nullptr) {
    if (!existing->guest && existing->gone)
      return control::not_as_things_are(
          fmt::format("domain {} is being removed: try again when its last task has ended", name));
    if (!existing->guest) return existing;
    return control::not_as_things_are(
        fmt::format("domain {} is a guest of Xen, with domain id {}: choose another name for local programs",
                    name, *existing->guest));
  }
  if (!control::valid_domain_name(name))
    return control::bad_request(
        fmt::format("\"{}\" is not a domain's name: {}", name, control::domain_name_rule));
  make_room();
  auto const added = domains_.add(name);
  if (!added) return control::not_as_things_are(added.error());
  apply(**added);
  return *added;
}

Domain* DomainTable::guest(std::uint32_t guest, std::string const& name) {
  if (Domain* const existing = domains_.of_guest(guest); existing != nullptr) {
    if (existing->wanted_name != name) domains_.rename(*existing, name);
    return existing;
  }
  make_room();
  auto const added = domains_.add_guest(guest, name);
  if (!added) {
    log_(spdlog::level::warn, "{}", added.error());
    return nullptr;
  }
  Domain& domain = **added;
  domain.kept = true;
  accelerators_.on_schedulers_thread([&] { accelerators_.cpu_watch().set_guest(domain.id, guest); });
  return &domain;
}

// Drops the oldest domain that is not in use and has no setting by an operator.
void DomainTable::make_room() {
  if (!domains_.full()) return;
  Domain const* oldest = nullptr;
  for (auto const& [name, domain] : domains_) {
    bool const forgettable = !domain.in_use() && !domain.kept && !domain.frozen;
    if (forgettable && (oldest == nullptr || domain.id < oldest->id)) oldest = &domain;
  }
  if (oldest != nullptr) drop(*oldest);
}

tl::expected<int, std::string> DomainTable::code_cache(Domain& domain) {
  if (domain.code_cache.data() != nullptr) return domain.code_cache.fd();
  std::vector<Domain*> idle;
  for (auto& [name, other] : domains_)
    if (!other.in_use() && other.code_cache.data() != nullptr) idle.push_back(&other);
  if (idle.size() >= max_idle_caches)
    (*std::ranges::min_element(idle, {}, &Domain::arrived))->code_cache = guests::SharedMemory();
  auto pages = guests::SharedMemory::create("pegasus-code", worker::code_cache_bytes);
  if (!pages) return tl::unexpected(pages.error());
  domain.code_cache = std::move(*pages);
  return domain.code_cache.fd();
}

void DomainTable::drop(Domain const& domain) {
  accelerators_.on_schedulers_thread([&] {
    for (auto const& accelerator : accelerators_)
      accelerator->scheduler().forget_domain(domain.id);
    accelerators_.cpu_watch().forget(domain.id);
  });
  waiting_.remove(domain.id);
  domains_.erase(domain);
  share_memory();
}

void DomainTable::end_settings_of_tasks(Domain& domain) {
  if (!domain.afterwards || domain.task_expected) return;
  change(domain, *std::exchange(domain.afterwards, std::nullopt));
}

void DomainTable::change(Domain& domain, control::Settings const& settings) {
  domain.settings = settings;
  apply(domain);
}

void DomainTable::apply(Domain const& domain) {
  if (domain.accelerator != nullptr)
    accelerators_.on_schedulers_thread([&] {
      domain.accelerator->scheduler().set_domain(domain.id, {.credits = domain.settings.credits,
                                                             .slo = domain.settings.slo,
                                                             .cap = domain.settings.cap,
                                                             .latency_slice = domain.settings.latency_slice,
                                                             .frozen = domain.frozen});
    });
  share_memory();
}

void DomainTable::share_memory(Domain const* comes) {
  std::uint64_t const largest = accelerators_.max_memory();
  for (auto& [name, domain] : domains_)
    if (domain.accelerator == nullptr)
      domain.memory = {.bytes = domain.settings.memory == 0 ? largest : domain.settings.memory,
                       .pooled = domain.settings.memory == 0};
  for (auto const& accelerator : accelerators_)
    share_memory_of(*accelerator, comes);
  for (auto& [name, domain] : domains_)
    (void)set_bounds(domain); // on failure the old bounds stay
}

// With one accelerator, a domain that has not used it yet counts as on it. With several, its
// place is not known.
void DomainTable::share_memory_of(Accelerator& accelerator, Domain const* comes) {
  std::vector<Domain*> here;
  std::vector<placement::MemoryClaim> claims;
  for (auto& [name, domain] : domains_) {
    bool const on_it =
        domain.accelerator == &accelerator || (domain.accelerator == nullptr && accelerators_.size() == 1);
    bool const in_use = domain.tasks > 0 || &domain == comes;
    bool const waits = !in_use && waiting_.since(domain.id) &&
                       domain.settings.accelerator.value_or(accelerator.index()) == accelerator.index();
    if (!on_it && !waits) continue;
    here.push_back(on_it ? &domain : nullptr);
    claims.push_back({domain.settings.memory, in_use  ? placement::MemoryClaim::Of::in_use
                                              : waits ? placement::MemoryClaim::Of::waiting
                                                      : placement::MemoryClaim::Of::idle});
  }
  std::vector<std::uint64_t> const shares = placement::memory_shares(accelerator.memory_bytes(), claims);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == nullptr) continue;
    here[i]->memory = {.bytes = shares[i], .pooled = here[i]->settings.memory == 0};
    accelerator.memory().set(here[i]->id, here[i]->memory);
  }
}

tl::expected<void, std::string> DomainTable::bound_host_memory(Domain& domain) {
  if (!domain.control_group.exists()) {
    auto group = control_groups_.make(domain.id);
    if (!group) return tl::unexpected(group.error());
    domain.control_group = std::move(*group);
  }
  if (set_bounds(domain)) return {};
  return tl::unexpected(
      std::string("this machine does not bound the host memory of the domain: the operator's log says why"));
}

std::uint64_t DomainTable::host_memory(Domain const& domain) const {
  return domain.settings.host_memory > 0 ? domain.settings.host_memory : options_.host_memory;
}

// Device memory on the CPU belongs to the workers; the domain's quota limits it.
bool DomainTable::set_bounds(Domain& domain) {
  std::uint64_t bytes = host_memory(domain);
  if (domain.accelerator != nullptr && domain.accelerator->kind().memory_is_hosts)
    bytes += domain.memory.bytes;
  // A task that starts counts, too.
  if (domain.control_group.bound(
          {.memory_bytes = bytes, .tasks = domain.tasks + 1, .credits = domain.settings.credits}))
    return true;
  log_(spdlog::level::warn, "domain {}: cannot limit its workers to {} of host memory: {}", domain.name,
       control::text_of_size(bytes), std::strerror(errno));
  return false;
}

} // namespace pegasus::daemon
