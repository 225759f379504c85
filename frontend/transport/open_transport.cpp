// SPDX-License-Identifier: Apache-2.0
// Chooses the transport: the one the environment names, a daemon of this machine, or the accelerator of
// this Xen guest.
#include "frontend/transport/local/local_transport.h"
#include "frontend/transport/xen/xen_transport.h"

namespace pegasus::frontend {

Transport* open_transport(pegasus_connect_kind kind, TransportError& error) {
  if (!LocalTransport::present() && XenTransport::present()) return XenTransport::open(kind, error);
  return LocalTransport::open(kind, error);
}

} // namespace pegasus::frontend
