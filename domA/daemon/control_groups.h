// SPDX-License-Identifier: Apache-2.0
// Control groups that limit the host resources of a domain's workers together: memory, whatever they use it
// for (parsed modules, bookkeeping, stacks, on the CPU also device memory), threads, and CPU time while other
// domains want it. A domain that needs more memory loses a worker; other domains do not.
//
// Uses Linux's controllers of version 2, below the group in which pegasusd was started: pegasusd must be
// allowed to divide it (systemd's Delegate=yes, or root's group). Memory and threads also work with
// version 1. Missing controllers are reported; without the memory controller, memory is limited per
// worker only (RLIMIT_DATA).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

// Limits on a domain's workers together.
struct HostBounds {
  // Per worker: its own threads and those that a GPU's driver starts. The number of the latter
  // is not documented.
  static constexpr std::uint32_t threads_of_a_task = 64;

  std::uint64_t memory_bytes = 0;
  std::uint32_t tasks = 0;   // each has a worker
  std::uint32_t credits = 0; // CPU time is divided among domains by credits
};

enum class Controller : std::uint8_t { memory, pids, cpu };
inline constexpr std::size_t controllers = 3;

// Where the groups of each controller are; version 2 has one directory for all. Empty: not available.
struct GroupPlace {
  std::string directory;
  bool version2 = false;
};
using GroupPlaces = std::array<GroupPlace, controllers>;

// The control group of one domain. Its directories are removed with it; its processes must have ended.
class ControlGroup {
public:
  ControlGroup() = default; // limits nothing
  ControlGroup(ControlGroup&& other) noexcept { *this = std::move(other); }
  ControlGroup& operator=(ControlGroup&& other) noexcept;
  ~ControlGroup() { remove(); }

  [[nodiscard]] bool exists() const { return !directories().empty(); }
  // As far as there are controllers. Returns false if the kernel refuses.
  bool bound(HostBounds const& bounds);
  [[nodiscard]] bool take(pid_t process) const;   // memory that it already uses stays where it was charged
  [[nodiscard]] std::uint64_t used_bytes() const; // memory; 0: not known
  // How many of its processes the kernel has killed because the group ran out of memory.
  [[nodiscard]] std::uint64_t oom_kills() const;

private:
  friend class ControlGroups;
  explicit ControlGroup(GroupPlaces places) : places_(std::move(places)) {}
  [[nodiscard]] std::vector<std::string> directories() const; // each directory once
  [[nodiscard]] GroupPlace const& memory() const;
  void remove();

  GroupPlaces places_;
  std::array<std::uint64_t, controllers> written_{}; // the values in effect; 0: none yet
};

class ControlGroups {
public:
  // Makes a group for this pegasusd, and removes groups that dead ones left. `process`: its directory in
  // /proc, which shows what is mounted where.
  explicit ControlGroups(std::string process = "/proc/self");
  ~ControlGroups();
  ControlGroups(ControlGroups const&) = delete;
  ControlGroups& operator=(ControlGroups const&) = delete;

  // What is not limited, for operators; empty if everything is.
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] bool has(Controller controller) const;
  // A group that limits nothing if no controller is available. The error is a message.
  [[nodiscard]] tl::expected<ControlGroup, std::string> make(std::uint32_t domain) const;

private:
  void use_version2();
  void use_version1(Controller controller);

  std::string process_;
  GroupPlaces own_;
};

} // namespace pegasus::daemon
