// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/caps.h"

#include "domA/scheduler/records.h"
#include "domA/scheduler/token_bucket.h"

#include <algorithm>
#include <utility>

namespace pegasus::scheduler {

using token_bucket::deepest, token_bucket::times, token_bucket::window;

namespace {

// A domain is served again for at least this long, so that changes of the owner stay few.
constexpr Nanos least_service{std::chrono::milliseconds(2)};

} // namespace

// `used` since the last time: what came meanwhile was there for it.
void Caps::fill(Bucket& bucket, Time now, Nanos used) {
  Nanos const passed = std::clamp(now - bucket.filled_at, Nanos{0}, Nanos{std::chrono::hours(1)});
  bucket.filled_at = now;
  Nanos const level = bucket.level + times(passed, bucket.part) - std::clamp(used, Nanos{0}, deepest);
  bucket.level = std::clamp(level, -deepest, times(window, bucket.part));
}

void Caps::set_end(DomainRecord& domain, std::optional<Time> end) {
  if (domain.cap->end) ends_.erase(*domain.cap->end, domain);
  domain.cap->end = end;
  if (end) ends_.insert(*end, domain);
}

void Caps::set(DomainRecord& domain, double part, Time now) {
  if (part <= 0 || part >= 1) return forget(domain);
  if (!domain.cap) {
    domain.cap = {.part = part, .level = times(window, part), .filled_at = now};
    ++capped_;
    return;
  }
  Bucket& bucket = *domain.cap;
  if (bucket.part == part) return;
  fill(bucket, now);
  bucket.part = part;
  if (bucket.end) set_end(domain, now); // looked at anew
}

void Caps::forget(DomainRecord& domain) {
  if (!domain.cap) return;
  set_end(domain, std::nullopt);
  domain.cap.reset();
  --capped_;
}

void Caps::used(DomainRecord& domain, Nanos total, Time now) {
  if (!domain.cap) return;
  Bucket& bucket = *domain.cap;
  fill(bucket, now, total - std::exchange(bucket.seen, total).value_or(total));
  if (bucket.level > Nanos{0} && !bucket.end) return;
  Nanos const enough = std::min(times(window, bucket.part), least_service);
  if (bucket.level < enough) set_end(domain, now + times(enough - bucket.level, 1 / bucket.part));
}

bool Caps::spent(DomainRecord const& domain) { return domain.cap && domain.cap->end; }

std::optional<Nanos> Caps::left(DomainRecord const& domain, Time now) {
  if (!domain.cap) return std::nullopt;
  Bucket bucket = *domain.cap;
  fill(bucket, now);
  return std::max(times(bucket.level, 1 / (1 - bucket.part)), Nanos{0});
}

DomainRecord* Caps::take_ended(Time now) {
  if (next_end() > now || ends_.empty()) return nullptr;
  DomainRecord& domain = ends_.first();
  set_end(domain, std::nullopt);
  return &domain;
}

void Caps::Bucket::visit(policies::StateVisitor& state) {
  state.field("part", part);
  state.field("level", level);
  state.field("filled_at", filled_at);
  state.field("seen", seen);
  state.field("end", end);
  state.require(part >= token_bucket::least_part && part <= 1 - token_bucket::least_part, "part");
  state.require(level >= -deepest && level <= deepest, "level");
}

void Caps::restore(Records& records) {
  for (auto& [id, domain] : records.domains()) {
    if (!domain.cap) continue;
    ++capped_;
    if (domain.cap->end) ends_.insert(*domain.cap->end, domain);
  }
}

} // namespace pegasus::scheduler
