// SPDX-License-Identifier: Apache-2.0
// Which transport: what the environment names, a daemon of this machine, the accelerator of this guest of
// Xen.
#include "frontend/transport/local/local_transport.h"
#include "frontend/transport/xen/xen_transport.h"

namespace pegasus::frontend {

Transport* open_transport(TransportError& error) {
  if (!LocalTransport::present() && XenTransport::present()) return XenTransport::open(error);
  return LocalTransport::open(error);
}

} // namespace pegasus::frontend
