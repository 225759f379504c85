// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/memory.h"

#include <utility>
#include <vector>

namespace pegasus::sim {
namespace {

// DymGPU's monitor (III-A) looks each second, and averages over 20 s.
constexpr Nanos second{std::chrono::seconds(1)};
constexpr std::size_t window = 20;

} // namespace

Memory::Memory(Clock& clock, Options const& options, DeviceTimes device_times)
    : clock_(clock), options_(options), device_times_(std::move(device_times)),
      observe_(clock, [this] { observe(); }) {
  if (options_.capacity == 0) return;
  totals_.granule = options_.granule;
  observe_.after(second);
}

bool Memory::come(DomainId domain, std::uint64_t bytes) {
  if (options_.capacity == 0) return true;
  domains_[domain].bytes = bytes;
  arrange();
  return domains_[domain].standing != residency::Standing::refused;
}

void Memory::leave(DomainId domain) {
  if (options_.capacity == 0) return;
  domains_.erase(domain);
  holders_.forget(domain);
  arrange();
}

Nanos Memory::take(DomainId domain) {
  auto const found = domains_.find(domain);
  if (found == domains_.end()) return Nanos{0};
  Held& held = found->second;
  if (owner_ != domain) {
    owner_ = domain;
    ++held.turns;
    ++totals_.turns;
  }
  held.idle_since.reset();
  if (held.standing == residency::Standing::out) arrange();
  residency::Copies const copies = holders_.take(domain, held.place);
  totals_.copies.in += copies.in;
  totals_.copies.out += copies.out;
  if (options_.bandwidth == 0) return Nanos{0};
  double const bytes = static_cast<double>(copies.in + copies.out) * static_cast<double>(options_.granule);
  return std::chrono::duration_cast<Nanos>(
      std::chrono::duration<double>(bytes / static_cast<double>(options_.bandwidth)));
}

void Memory::arrange() {
  std::vector<residency::DomainView> views;
  for (auto const& [id, held] : domains_)
    views.push_back(view_of(id, held));
  residency::Plan plan = residency::arrange(*options_.policy, {.now = clock_.now(),
                                                               .arranged_at = arranged_at_,
                                                               .capacity = options_.capacity,
                                                               .granule = options_.granule,
                                                               .domains = views});
  arranged_at_ = plan.arranged_at;
  for (residency::DomainPlan& domain : plan.domains) {
    Held& held = domains_[domain.id];
    if (held.place != domain.place) holders_.forget(domain.id);
    held.place = std::move(domain.place);
    held.standing = domain.standing;
  }
}

void Memory::observe() {
  auto const device_times = device_times_();
  for (auto& [id, held] : domains_) {
    auto const time = device_times.find(id);
    Sample const sample{clock_.now(), time == device_times.end() ? Nanos{0} : time->second, held.turns};
    bool const used = held.samples.empty() || sample.device > held.samples.back().device;
    if (used)
      held.idle_since.reset();
    else if (!held.idle_since)
      held.idle_since = held.samples.back().time;
    held.samples.push_back(sample);
    if (held.samples.size() > window + 1) held.samples.pop_front();
  }
  arrange();
  observe_.after(second);
}

residency::DomainView Memory::view_of(DomainId id, Held const& held) const {
  residency::DomainView view{
      .id = id, .bytes = held.bytes, .idle_since = held.idle_since, .place = held.place};
  if (held.samples.size() < 2) return view;
  Sample const& first = held.samples.front();
  Sample const& last = held.samples.back();
  double const seconds = std::chrono::duration<double>(last.time - first.time).count();
  view.utilization = std::chrono::duration<double>(last.device - first.device).count() / seconds;
  view.turns_per_second = static_cast<double>(last.turns - first.turns) / seconds;
  return view;
}

} // namespace pegasus::sim
