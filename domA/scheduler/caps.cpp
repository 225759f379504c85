// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/caps.h"

#include "domA/scheduler/token_bucket.h"

#include <algorithm>

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

void Caps::set_end(DomainId domain, Bucket& bucket, std::optional<Time> end) {
  if (bucket.end) ends_.erase({*bucket.end, domain});
  bucket.end = end;
  if (end) ends_.insert({*end, domain});
}

void Caps::set(DomainId domain, double part, Time now) {
  auto const found = buckets_.find(domain);
  if (part <= 0 || part >= 1) return forget(domain);
  if (found == buckets_.end()) {
    buckets_[domain] = {.part = part, .level = times(window, part), .filled_at = now};
    return;
  }
  if (found->second.part == part) return;
  fill(found->second, now);
  found->second.part = part;
  if (found->second.end) set_end(domain, found->second, now); // looked at anew
}

void Caps::forget(DomainId domain) {
  auto const found = buckets_.find(domain);
  if (found == buckets_.end()) return;
  set_end(domain, found->second, std::nullopt);
  buckets_.erase(found);
}

void Caps::used(DomainId domain, Nanos total, Time now) {
  auto const found = buckets_.find(domain);
  if (found == buckets_.end()) return;
  Bucket& bucket = found->second;
  fill(bucket, now, total - std::exchange(bucket.seen, total).value_or(total));
  if (bucket.level > Nanos{0} && !bucket.end) return;
  Nanos const enough = std::min(times(window, bucket.part), least_service);
  if (bucket.level < enough) set_end(domain, bucket, now + times(enough - bucket.level, 1 / bucket.part));
}

bool Caps::spent(DomainId domain) const {
  auto const found = buckets_.find(domain);
  return found != buckets_.end() && found->second.end;
}

std::optional<Nanos> Caps::left(DomainId domain, Time now) const {
  auto const found = buckets_.find(domain);
  if (found == buckets_.end()) return std::nullopt;
  Bucket bucket = found->second;
  fill(bucket, now);
  return std::max(times(bucket.level, 1 / (1 - bucket.part)), Nanos{0});
}

std::optional<DomainId> Caps::take_ended(Time now) {
  if (next_end() > now) return std::nullopt;
  DomainId const domain = ends_.begin()->second;
  set_end(domain, buckets_.at(domain), std::nullopt);
  return domain;
}

} // namespace pegasus::scheduler
