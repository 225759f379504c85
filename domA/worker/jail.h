// SPDX-License-Identifier: Apache-2.0
// The inner half of a worker's jail: it switches to its own user and gives up all capabilities and the file
// system. The outer half, the namespaces that it was started in, is made by pegasusd (domA/daemon/jailer.h).
//
// Entered before any driver is loaded and any byte of a guest is read, so the jail also holds the threads
// that a driver starts. enter_sandbox() gives up the rest when the driver has started.
#pragma once

#include "domA/worker/confinement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::worker {

// What this machine allows pegasusd to give; the worker must set up the rest accordingly.
struct Jail {
  Confinement confinement;
  std::uint32_t own_namespaces; // mount, pid, network, IPC and host name, and a user namespace if available
  std::uint32_t own_user;       // the worker must switch to `user` and `group`
  std::uint32_t user;
  std::uint32_t group;
  std::uint32_t device_group; // it is in this one, too; 0: in none
};

// All that is left of the file system; missing paths are left out. A software worker has none.
struct Files {
  std::vector<std::string> devices;  // may be written
  std::vector<std::string> readable; // libraries, /proc, /sys
};

// Ends the process with a message if the jail cannot be entered. Call it while there is one thread.
void enter_jail(Jail const& jail, Files const& files);

// True if this process's threads find themselves in /proc and may write there what a driver writes: their names.
// Also true if it has no /proc.
[[nodiscard]] bool proc_fits();

// True if pegasusd still reads our standard error. From enter_jail() on this process ends with pegasusd,
// which may have ended before.
[[nodiscard]] bool pegasusd_lives();

} // namespace pegasus::worker
