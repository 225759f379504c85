// SPDX-License-Identifier: Apache-2.0
// Control groups that bound the host's memory which the workers of a domain use together, whatever they use
// it for: parsed modules, bookkeeping, stacks, on the CPU also device memory. A domain that needs more loses
// a worker; nobody else does.
//
// Linux's memory controller, version 2 or 1, below the group that pegasusd was started in: it must be ours to
// divide (systemd's Delegate=yes, or root's group). What cannot be had is said, and workers are then bounded
// one by one only (RLIMIT_DATA).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

// One domain's. Its directory goes with it, once its processes are gone.
class MemoryGroup {
public:
  MemoryGroup() = default; // bounds nothing
  MemoryGroup(MemoryGroup&& other) noexcept { *this = std::move(other); }
  MemoryGroup& operator=(MemoryGroup&& other) noexcept;
  ~MemoryGroup() { remove(); }

  [[nodiscard]] bool bounds() const { return !directory_.empty(); }
  // Without effect where nothing is bounded. False: the kernel refuses.
  bool limit(std::uint64_t bytes);
  [[nodiscard]] bool take(pid_t process) const;   // from now on; what it has already stays where it was
  [[nodiscard]] std::uint64_t used_bytes() const; // 0: not known
  // How many of its processes the kernel has ended because it was full.
  [[nodiscard]] std::uint64_t ended() const;

private:
  friend class MemoryGroups;
  MemoryGroup(std::string directory, bool version2) : directory_(std::move(directory)), version2_(version2) {}
  void remove();

  std::string directory_;
  bool version2_ = false;
  std::uint64_t limit_ = 0;
};

class MemoryGroups {
public:
  // Makes a group for this pegasusd, and clears away those that dead ones left.
  MemoryGroups();
  ~MemoryGroups();
  MemoryGroups(MemoryGroups const&) = delete;
  MemoryGroups& operator=(MemoryGroups const&) = delete;

  // Why no domain's memory is bounded, for operators; empty: it is.
  [[nodiscard]] std::string const& missing() const { return missing_; }
  // A group that bounds nothing where that cannot be had. The error is a message.
  [[nodiscard]] tl::expected<MemoryGroup, std::string> make(std::uint32_t domain) const;

private:
  bool use_version2();
  bool use_version1();
  bool make_own(std::string const& above);

  std::string own_; // its directory
  bool version2_ = false;
  std::string missing_;
};

} // namespace pegasus::daemon
