// SPDX-License-Identifier: Apache-2.0
// A guest task as pegasusd knows it besides its worker: where its call buffer comes from and how to tell it
// that nothing will be answered any more. One class for each way a guest may come:
// domA/guests/local/guest_server.h (local sockets), domA/guests/xen/task.h (grants).
#pragma once

#include "domA/guests/hello.h"
#include "domA/ring/request_ring.h"

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::guests {

enum class ChannelKind : std::uint32_t { local, xen };

// How a worker gets a call buffer.
struct ChannelSource {
  ChannelKind kind = ChannelKind::local;
  int fd = -1;                // local: the call buffer; xen: the grant references of its pages, a u32 each
  std::uint32_t domain = 0;   // xen: who granted them
  std::uint32_t doorbell = 0; // xen: the port that domain offered
};

class GuestLink {
public:
  virtual ~GuestLink() = default;
  // Makes a call buffer, initialized, and says how the worker gets it; the descriptor stays the link's. The
  // error is a message.
  [[nodiscard]] virtual tl::expected<ChannelSource, std::string>
  make_channel(ring::Geometry const& geometry) = 0;
  // The worker is gone: marks the channel as closed, wakes the guest, lets go of what the two shared.
  virtual void close(pegasus_close_reason reason) = 0;
};

struct Peer {     // a guest's process
  pid_t pid = 0;  // of another domain of Xen: for display
  uid_t user = 0; // who is counted: the kernel's word, or a number for each domain of Xen
};

// What the daemon does for those who find guests.
class GuestHost {
public:
  virtual ~GuestHost() = default;
  // Makes a task of a guest that said hello. The welcome is for the guest; its `task` names it in
  // guest_left().
  virtual tl::expected<pegasus_welcome, Refusal> admit(std::string const& domain, Hello const& hello,
                                                       Peer const& peer, std::shared_ptr<GuestLink> link) = 0;
  virtual void guest_left(std::uint32_t task) = 0;
};

} // namespace pegasus::guests
