// SPDX-License-Identifier: Apache-2.0
// Starts workers in separate namespaces and as separate users, as far as this machine allows: the outer half
// of their jail. The inner half is domA/worker/jail.h.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/control_groups.h"
#include "domA/worker/start.h"

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

class Jailer {
public:
  struct Placed { // a descriptor of ours, and its number in the program
    int source, target;
  };
  struct Program {
    std::string path;
    std::vector<std::string> arguments; // including its name
    std::vector<std::string> environment;
    std::vector<Placed> descriptors;     // besides /dev/null as standard input
    ControlGroup const* group = nullptr; // its group, entered before exec; nullptr: ours
  };
  struct Process {
    pid_t pid = -1;
    base::UniqueFd pidfd;
  };

  // Finds what this machine allows with trial workers that enter their jail, look for themselves in /proc if they
  // have one, and end; `device` decides which files they see. `first_user`: the user of the worker in the first
  // slot, if we are root.
  Jailer(std::string const& worker_program, std::uint32_t first_user, worker::DeviceChoice const& device = {},
         worker::Confinement confinement = worker::Confinement::all);

  // The part of the jail that the worker in that slot sets up itself.
  [[nodiscard]] worker::Jail jail(std::uint32_t slot) const;
  // The error is a message. If the program cannot be executed, it ends with status 127.
  [[nodiscard]] tl::expected<Process, std::string> start(Program const& program,
                                                         worker::Jail const& jail) const;
  // Missing separation of workers, for operators; empty if nothing is missing.
  [[nodiscard]] std::string const& missing() const { return level_.missing; }

private:
  struct Level {
    std::uint64_t namespaces; // CLONE_NEW*
    bool user_of_its_own;     // for each worker; else ours
    std::string missing;
    bool with_proc = false; // its /proc is mounted before its user namespace is made
  };
  [[nodiscard]] static std::vector<Level> levels();
  [[nodiscard]] char const* prepare(pid_t pid, Program const& program, worker::Jail const& jail) const;
  [[nodiscard]] bool tried_out(std::string const& worker_program, worker::DeviceChoice const& device) const;

  std::uint32_t first_user_;
  std::uint32_t device_group_;
  worker::Confinement confinement_;
  Level level_{};
};

} // namespace pegasus::daemon
