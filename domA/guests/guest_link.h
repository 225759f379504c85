// SPDX-License-Identifier: Apache-2.0
// A guest task as pegasusd knows it besides its worker: where its call buffer comes from and how to tell it
// that no more replies will come. One class for each kind of guest: domA/guests/local/guest_server.h (local
// sockets), domA/guests/xen/task.h (grants).
#pragma once

#include "domA/guests/connect_request.h"
#include "domA/ring/request_ring.h"
#include "frontend/protocol/totals.h"

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
  std::uint32_t domain = 0;   // xen: the domain that granted them
  std::uint32_t doorbell = 0; // xen: the port that this domain offered
  int host_window_fd = -1;    // memory that the program and its kernels share
  std::uint64_t host_window_bytes = 0; // 0: they share none
};

class GuestLink {
public:
  virtual ~GuestLink() = default;
  // Makes and initializes a call buffer and returns how the worker gets it; with a host window of so many bytes where
  // the guest can have one. The link keeps the descriptors. The error is a message.
  [[nodiscard]] virtual tl::expected<ChannelSource, std::string>
  make_channel(ring::Geometry const& geometry, std::uint64_t host_window_bytes) = 0;
  // Makes the pages that show the guest its tasks' totals. pegasusd may write them until it calls close().
  // The error is a message.
  [[nodiscard]] virtual tl::expected<pegasus_totals*, std::string> make_totals() = 0;
  // The worker is gone: marks the channel as closed, wakes the guest, releases what the two shared.
  virtual void close(pegasus_close_reason reason) = 0;
};

struct Peer {     // a guest's process
  pid_t pid = 0;  // in a domain of Xen: for display
  uid_t user = 0; // for accounting: from the kernel, or a number for each domain of Xen
};

// What the daemon does for the classes that find guests.
class GuestHost {
public:
  virtual ~GuestHost() = default;
  // Makes a task for a guest that asked to connect. The connect reply is for the guest; guest_left()
  // takes its `task`.
  virtual tl::expected<pegasus_connect_reply, Rejection> admit(std::string const& domain,
                                                               ConnectRequest const& connect_request,
                                                               Peer const& peer,
                                                               std::shared_ptr<GuestLink> link) = 0;
  virtual void guest_left(std::uint32_t task) = 0;
};

} // namespace pegasus::guests
