// SPDX-License-Identifier: Apache-2.0
// A guest task as pegasusd knows it before and besides its worker: where its call buffer comes from and how
// to tell it that nothing will be answered any more. One for each way a guest may come: guest_server.h (local
// sockets), domA/xen (grants).
#pragma once

#include "domA/daemon/domain.h"
#include "domA/link/hello.h"
#include "domA/ring/request_ring.h"
#include "domA/worker/start.h"
#include "frontend/protocol/handshake.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::daemon {

class GuestLink {
public:
  virtual ~GuestLink() = default;
  // Makes a call buffer, initialized, and says how the worker gets it. The descriptor is the link's. The
  // error is a message.
  [[nodiscard]] virtual tl::expected<worker::ChannelSource, std::string>
  make_channel(ring::Geometry const& geometry) = 0;
  // The worker is gone: marks the channel as closed, wakes the guest, lets go of what the two shared.
  virtual void close(pegasus_close_reason reason) = 0;
};

// What the daemon does for those who find guests.
class GuestHost {
public:
  virtual ~GuestHost() = default;
  // Makes a task of a guest that said hello. The welcome is for the guest; its `task` names it in
  // guest_left().
  virtual tl::expected<pegasus_welcome, link::Refusal> admit(std::string const& domain,
                                                             link::Hello const& hello, Peer const& peer,
                                                             std::shared_ptr<GuestLink> link) = 0;
  virtual void guest_left(std::uint32_t task) = 0;
};

} // namespace pegasus::daemon
