// SPDX-License-Identifier: Apache-2.0
// Starts workers in namespaces of their own and as users of their own, as far as this machine lets us: the
// outer half of their jail. The inner one is domA/worker/jail.h.
#pragma once

#include "domA/daemon/control_groups.h"
#include "domA/guests/shared_memory.h"
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
  struct Placed { // a descriptor of ours, and its number there
    int source, target;
  };
  struct Program {
    std::string path;
    std::vector<std::string> arguments; // with its name
    std::vector<std::string> environment;
    std::vector<Placed> descriptors;     // besides /dev/null as its standard input
    ControlGroup const* group = nullptr; // that it is in before it is the program; null: ours
  };
  struct Process {
    pid_t pid = -1;
    guests::UniqueFd pidfd;
  };

  // Tries what this machine gives with workers that enter their jail and end; what they see of the file
  // system is what `device` needs. `first_user`: of the worker in the first seat, if we are root.
  Jailer(std::string const& worker_program, std::uint32_t first_user,
         worker::DeviceChoice const& device = {});

  // What the worker in that seat is to take of it.
  [[nodiscard]] worker::Jail jail(std::uint32_t seat) const;
  // The error is a message. That the program cannot be executed shows as its end with status 127.
  [[nodiscard]] tl::expected<Process, std::string> start(Program const& program,
                                                         worker::Jail const& jail) const;
  // What workers are not separated by, for operators; empty: nothing is missing.
  [[nodiscard]] std::string const& missing() const { return level_.missing; }

private:
  struct Level {
    std::uint64_t namespaces; // CLONE_NEW*
    bool user_of_its_own;     // for each worker; else ours
    std::string missing;
  };
  [[nodiscard]] static std::vector<Level> levels();
  [[nodiscard]] char const* prepare(pid_t pid, Program const& program, worker::Jail const& jail) const;
  [[nodiscard]] bool tried_out(std::string const& worker_program, worker::DeviceChoice const& device) const;

  std::uint32_t first_user_;
  Level level_{};
};

} // namespace pegasus::daemon
