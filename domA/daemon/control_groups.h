// SPDX-License-Identifier: Apache-2.0
// Control groups that bound what the workers of a domain take of the host together: memory, whatever they use
// it for (parsed modules, bookkeeping, stacks, on the CPU also device memory), threads, and CPU time while
// others want it. A domain that needs more memory loses a worker; nobody else does.
//
// Linux's controllers of version 2, below the group that pegasusd was started in: it must be ours to divide
// (systemd's Delegate=yes, or root's group). Those of memory and threads also of version 1. What cannot be
// had is said; memory is then bounded worker by worker only (RLIMIT_DATA).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

// What a domain's workers may take together.
struct HostBounds {
  // Of a worker: its own, and those that a GPU's driver starts. How many these are is not documented.
  static constexpr std::uint32_t threads_of_a_task = 64;

  std::uint64_t memory_bytes = 0;
  std::uint32_t tasks = 0;   // each has a worker
  std::uint32_t credits = 0; // CPU time is divided by them among domains
};

enum class Controller : std::uint8_t { memory, pids, cpu };
inline constexpr std::size_t controllers = 3;

// Where the groups of each controller are; version 2 has one directory for all. Empty: not to be had.
struct GroupPlace {
  std::string directory;
  bool version2 = false;
};
using GroupPlaces = std::array<GroupPlace, controllers>;

// One domain's. Its directories go with it, once its processes are gone.
class ControlGroup {
public:
  ControlGroup() = default; // bounds nothing
  ControlGroup(ControlGroup&& other) noexcept { *this = std::move(other); }
  ControlGroup& operator=(ControlGroup&& other) noexcept;
  ~ControlGroup() { remove(); }

  [[nodiscard]] bool exists() const { return !directories().empty(); }
  // As far as there are controllers. False: the kernel refuses.
  bool bound(HostBounds const& bounds);
  [[nodiscard]] bool take(pid_t process) const;   // from now on; what it has already stays where it was
  [[nodiscard]] std::uint64_t used_bytes() const; // of memory; 0: not known
  // How many of its processes the kernel has ended because its memory was full.
  [[nodiscard]] std::uint64_t ended() const;

private:
  friend class ControlGroups;
  explicit ControlGroup(GroupPlaces places) : places_(std::move(places)) {}
  [[nodiscard]] std::vector<std::string> directories() const; // each once
  [[nodiscard]] GroupPlace const& memory() const;
  void remove();

  GroupPlaces places_;
  std::array<std::uint64_t, controllers> written_{}; // what holds; 0: nothing yet
};

class ControlGroups {
public:
  // Makes a group for this pegasusd, and clears away those that dead ones left. `process`: its directory in
  // /proc, which says what is mounted and where it is.
  explicit ControlGroups(std::string process = "/proc/self");
  ~ControlGroups();
  ControlGroups(ControlGroups const&) = delete;
  ControlGroups& operator=(ControlGroups const&) = delete;

  // What is not bounded, for operators; empty: all is.
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] bool has(Controller controller) const;
  // A group that bounds nothing where nothing can be had. The error is a message.
  [[nodiscard]] tl::expected<ControlGroup, std::string> make(std::uint32_t domain) const;

private:
  void use_version2();
  void use_version1(Controller controller);

  std::string process_;
  GroupPlaces own_;
};

} // namespace pegasus::daemon
