// SPDX-License-Identifier: Apache-2.0
// The guests of this Xen host that were given an accelerator (xl.cfg's `vaccel`, `pegasusctl attach`, or an
// operator's rule), found by xenstore watches: their settings, their tasks, their end.
// frontend/protocol/PROTOCOL.md lists the nodes.
//
// One thread. The caller waits for the two descriptors and calls the function that belongs to each.
#pragma once

#include "control/settings.h"
#include "domA/guests/guest_link.h"
#include "frontend/protocol/channel.h"
#include "frontend/protocol/xen.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::xen {

// A guest is identified by its domain id; its name is its current name in the toolstack.
class GuestsHost {
public:
  virtual ~GuestsHost() = default;
  // The guest is new or has changed.
  virtual void set_guest(std::uint32_t guest, std::string const& name, control::Settings const& settings) = 0;
  virtual void forget_guest(std::uint32_t guest) = 0;  // its tasks have left
  virtual void report(std::string const& problem) = 0; // for the operator
  // As guests::GuestHost::admit(), for a guest that was set.
  virtual tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(std::uint32_t guest, guests::ConnectRequest const& connect_request, guests::Peer const& peer,
        std::shared_ptr<guests::GuestLink> link) = 0;
  virtual void guest_left(std::uint32_t task) = 0;
  virtual void detached(std::uint32_t task) = 0; // its guest's device is gone; the same otherwise
};

// One guest's limits on what all guests share: Dom0's workers, and its table of mapped grants.
struct GuestLimits {
  std::uint32_t tasks = 16;
  // mapped
  std::uint32_t pages = 16 * PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_DEFAULT);
};

class Guests {
public:
  virtual ~Guests() = default;
  // True if this is a domain of Xen that can serve others. Call open() only then.
  [[nodiscard]] static bool present();
  // `rules`: a directory (guest_rules.h). A guest that it names gets an accelerator when it is created, or now.
  [[nodiscard]] static tl::expected<std::unique_ptr<Guests>, std::string>
  open(GuestsHost& host, GuestLimits const& limits, std::filesystem::path const& rules = {});

  [[nodiscard]] virtual int store_fd() const = 0;
  [[nodiscard]] virtual int events_fd() const = 0;
  // Handles some of the pending events. Returns true if there are more.
  virtual bool read_store() = 0;
  virtual bool read_events() = 0;
  // Starts tasks that had to wait because their guest started many. Returns when to call it again, nullopt if
  // no task waits. Call it then, and after the two functions above.
  virtual std::optional<std::chrono::steady_clock::time_point>
  start_waiting(std::chrono::steady_clock::time_point now) = 0;
  // Writes a guest's settings to the nodes of its device, as an operator could. Returns false if that failed.
  [[nodiscard]] virtual bool change(std::uint32_t guest, control::Settings const& settings) = 0;
  virtual void stop() = 0; // tells the toolstack that the devices are not served any more
};

} // namespace pegasus::xen
