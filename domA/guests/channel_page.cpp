// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/channel_page.h"

#include "base/futex.h"

#include <atomic>
#include <cstdint>
#include <unistd.h>

namespace pegasus::guests {

void close_channel(pegasus_channel_header& header, pegasus_close_reason reason) {
  std::atomic_ref(header.close_reason).store(reason, std::memory_order_relaxed);
  std::atomic_ref(header.worker_state).store(std::uint32_t{PEGASUS_WORKER_CLOSED}, std::memory_order_release);
  // the value changes: no sleep on the old one
  std::atomic_ref(header.guest_parked).fetch_add(2, std::memory_order_seq_cst);
  base::futex_wake(header.guest_parked);
}

} // namespace pegasus::guests
