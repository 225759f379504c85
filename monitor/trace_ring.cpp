// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace_ring.h"

#include <algorithm>
#include <utility>

namespace pegasus::monitor {

TraceRing::TraceRing(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {
  entries_.reserve(capacity_);
}

void TraceRing::record(TraceEntry entry) {
  if (entry.domains.size() > domains_kept) entry.domains.resize(domains_kept);
  auto const slot = static_cast<std::size_t>(recorded_ % capacity_);
  entry.number = before_ + ++recorded_;
  if (slot < entries_.size())
    entries_[slot] = std::move(entry);
  else
    entries_.push_back(std::move(entry));
}

std::vector<TraceEntry> TraceRing::last(std::size_t count) const {
  std::size_t const size = std::min(count, entries_.size());
  std::vector<TraceEntry> result;
  result.reserve(size);
  for (std::uint64_t n = recorded_ - size; n < recorded_; ++n)
    result.push_back(entries_[static_cast<std::size_t>(n % capacity_)]);
  return result;
}

std::vector<TraceEntry> TraceRing::after(std::uint64_t number) const {
  return number >= recorded() ? std::vector<TraceEntry>{}
                              : last(static_cast<std::size_t>(recorded() - number));
}

} // namespace pegasus::monitor
