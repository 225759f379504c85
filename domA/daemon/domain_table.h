// SPDX-License-Identifier: Apache-2.0
// The domains with their settings, and their limits on device and host memory.
#pragma once

#include "control/request_error.h"
#include "domA/daemon/accelerators.h"
#include "domA/daemon/control_groups.h"
#include "domA/daemon/domains.h"
#include "domA/daemon/rate_limited_log.h"
#include "domA/placement/waiting_line.h"

#include <string>
#include <tl/expected.hpp>

namespace pegasus::daemon {

class DomainTable {
public:
  // All three must outlive it.
  DomainTable(Options const& options, Accelerators& accelerators, RateLimitedLog& log)
      : options_(options), accelerators_(accelerators), log_(log) {}

  // Returns nullptr if there is none.
  [[nodiscard]] Domain* named(std::string_view name) { return domains_.named(name); }
  [[nodiscard]] Domain* of_guest(std::uint32_t guest) { return domains_.of_guest(guest); }
  // A local domain, made if it does not exist.
  [[nodiscard]] tl::expected<Domain*, control::RequestError> local(std::string const& name);
  // A guest of Xen, made if it does not exist, by its name in xenstore. nullptr if there is no
  // room; this is reported.
  [[nodiscard]] Domain* guest(std::uint32_t guest, std::string const& name);
  // For a domain that is not in use; its statistics are deleted with it.
  void drop(Domain const& domain);

  // Makes settings effective, including for running tasks: whoever changed them.
  void change(Domain& domain, control::Settings const& settings);
  void end_settings_of_tasks(Domain& domain); // its last task has ended
  void apply(Domain const& domain);           // for a domain that is new to its accelerator
  // Divides the memory of each accelerator again. `comes` has no tasks yet and is about to have some.
  void share_memory(Domain const* comes = nullptr);
  // Makes the domain's control group if it has none, and limits its workers' host memory by it. The error is
  // a message for the user.
  [[nodiscard]] tl::expected<void, std::string> bound_host_memory(Domain& domain);

  // What the domain's workers may use of this machine's memory, in bytes, besides device memory on the CPU.
  [[nodiscard]] std::uint64_t host_memory(Domain const& domain) const;

  // The descriptor of what the domain's programs compiled, made if it has none. Its pages count as host memory of the
  // domain's workers; those of domains without workers count for nobody, so only the last few of these keep theirs.
  [[nodiscard]] tl::expected<int, std::string> code_cache(Domain& domain);

  [[nodiscard]] placement::WaitingLine& waiting() { return waiting_; }
  [[nodiscard]] placement::WaitingLine const& waiting() const { return waiting_; }
  [[nodiscard]] ControlGroups const& control_groups() const { return control_groups_; }

  [[nodiscard]] auto begin() { return domains_.begin(); } // of pairs: name, Domain
  [[nodiscard]] auto end() { return domains_.end(); }
  [[nodiscard]] auto begin() const { return domains_.begin(); }
  [[nodiscard]] auto end() const { return domains_.end(); }

private:
  void make_room();
  void share_memory_of(Accelerator& accelerator, Domain const* comes);
  bool set_bounds(Domain& domain); // false if the kernel refuses; this is reported

  Options const& options_;
  Accelerators& accelerators_;
  RateLimitedLog& log_;
  ControlGroups control_groups_; // outlive the domains
  Domains domains_;
  placement::WaitingLine waiting_;
};

// Device memory held by the domain's tasks, in bytes.
[[nodiscard]] std::uint64_t used_memory(Domain const& domain);

} // namespace pegasus::daemon
