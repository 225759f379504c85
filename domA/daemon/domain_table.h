// SPDX-License-Identifier: Apache-2.0
// The domains with their settings: made, changed, forgotten; what each may take of device and host memory.
#pragma once

#include "domA/daemon/accelerators.h"
#include "domA/daemon/control_groups.h"
#include "domA/daemon/domains.h"
#include "domA/daemon/guest_log.h"
#include "domA/daemon/waiting_line.h"

#include <string>
#include <tl/expected.hpp>

namespace pegasus::daemon {

class DomainTable {
public:
  // All three outlive it.
  DomainTable(Options const& options, Accelerators& accelerators, GuestLog& log)
      : options_(options), accelerators_(accelerators), log_(log) {}

  // nullptr: there is none.
  [[nodiscard]] Domain* named(std::string_view name) { return domains_.named(name); }
  [[nodiscard]] Domain* of_guest(std::uint32_t guest) { return domains_.of_guest(guest); }
  // A local domain, made if there is none. The error is a message for the user.
  [[nodiscard]] tl::expected<Domain*, std::string> local(std::string const& name);
  // A guest of Xen, made if there is none, by its name in xenstore. nullptr: there is no room, reported.
  [[nodiscard]] Domain* guest(std::uint32_t guest, std::string const& name);
  // It has no tasks; its statistics go with it.
  void drop(Domain const& domain);

  // Makes changed settings effective, for running tasks too.
  void apply(Domain const& domain);
  // Divides each accelerator's memory anew. `comes`: has no tasks yet, and is about to have some.
  void share_memory(Domain const* comes = nullptr);
  // Makes the domain's control group if it has none, and bounds its workers' host memory by it. The error is
  // a message for the user.
  [[nodiscard]] tl::expected<void, std::string> bound_host_memory(Domain& domain);

  [[nodiscard]] WaitingLine& waiting() { return waiting_; }
  [[nodiscard]] WaitingLine const& waiting() const { return waiting_; }
  [[nodiscard]] ControlGroups const& control_groups() const { return control_groups_; }

  [[nodiscard]] auto begin() { return domains_.begin(); } // of pairs: name, Domain
  [[nodiscard]] auto end() { return domains_.end(); }
  [[nodiscard]] auto begin() const { return domains_.begin(); }
  [[nodiscard]] auto end() const { return domains_.end(); }

private:
  void make_room();
  void share_memory_of(Accelerator& accelerator, Domain const* comes);
  bool set_bounds(Domain& domain); // false: the kernel refuses, and it is reported

  Options const& options_;
  Accelerators& accelerators_;
  GuestLog& log_;
  ControlGroups control_groups_; // outlive the domains
  Domains domains_;
  WaitingLine waiting_;
};

// Device memory that the domain's tasks hold, in bytes.
[[nodiscard]] std::uint64_t used_memory(Domain const& domain);

} // namespace pegasus::daemon
