// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/worker_channel.h"

namespace pegasus::xen {

tl::expected<std::unique_ptr<WorkerChannel>, std::string> WorkerChannel::open(guests::ChannelSource const&,
                                                                              std::uint32_t, int) {
  return tl::unexpected(std::string("this pegasus-avcpu was built without Xen's libraries (libxen-dev)"));
}

unsigned long ring_request() { return 0; }

} // namespace pegasus::xen
