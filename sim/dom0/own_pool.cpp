// SPDX-License-Identifier: Apache-2.0
#include "sim/dom0/own_pool.h"

namespace pegasus::sim {

OwnPool::OwnPool(Clock& clock, PoolSettings const& guests, unsigned pcpus, Timeline* timeline)
    : timeline_(timeline == nullptr ? nullptr : std::make_unique<Renumbered>(*timeline, guests.pcpus)) {
  PoolSettings own = guests;
  own.pcpus = pcpus;
  scheduler_ = make_scheduler(clock, own, timeline_.get());
}

} // namespace pegasus::sim
