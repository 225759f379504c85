// SPDX-License-Identifier: Apache-2.0
// The inner half of a worker's jail: it takes its own user, leaves all capabilities and the file system. The
// outer half, the namespaces that it was started in, is pegasusd's (domA/daemon/jailer.h).
//
// Entered before any driver is loaded and any byte of a guest is read, so that threads that a driver starts
// are in it too. What remains is given up by enter_sandbox(), when the driver has come up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::worker {

// What this machine lets pegasusd give, and so what the worker has to take.
struct Jail {
  std::uint32_t
      own_namespaces;     // mount, pid, network, IPC and host name, and a user namespace if it can be had
  std::uint32_t own_user; // `user` and `group` are to be taken
  std::uint32_t user;
  std::uint32_t group;
};

// All that is left of the file system; paths that are not there are left out. A software worker has none.
struct Files {
  std::vector<std::string> devices;  // may be written
  std::vector<std::string> readable; // libraries, /proc, /sys
};

// Ends the process with a message when the jail cannot be entered. Call it with one thread.
void enter_jail(Jail const& jail, Files const& files);

// Whether somebody still reads our standard error. From enter_jail() on its end is ours; it may have come
// before.
[[nodiscard]] bool pegasusd_lives();

} // namespace pegasus::worker
