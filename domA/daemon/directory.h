// SPDX-License-Identifier: Apache-2.0
// The directory of pegasusd's sockets: made, locked against another daemon, cleaned at the end.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/start_error.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

inline constexpr char guest_socket[] = "/guest.sock";
inline constexpr char control_socket[] = "/control.sock";
inline constexpr char status_socket[] = "/status.sock";

// Makes the directory (0755) if needed; its parent must exist. Locks it for one daemon while the descriptor
// is open, so a dead daemon holds no lock. An existing directory must be ours or root's, not a symbolic link,
// and not writable by other users: they could put their own sockets there. `group` may reach what is in it.
// The error is a message.
[[nodiscard]] tl::expected<base::UniqueFd, StartError> claim_directory(std::string const& path,
                                                                       std::optional<gid_t> group = {});

struct SocketAccess {         // access to a socket: write permission on its file
  std::optional<mode_t> mode; // else the umask decides
  std::optional<gid_t> group; // of the file, else the kernel's default
};
// A listening unix socket at `path`, in a claimed directory. Replaces the socket of a dead daemon. The file
// has the mode from the beginning. Sets the process's umask temporarily: for a single thread only.
[[nodiscard]] tl::expected<base::UniqueFd, StartError> listen_at(std::string const& path, int type,
                                                                 SocketAccess const& access = {});
// Removes what the two functions above made; with `remove_lock` the lock file and the directory, too.
void clean_directory(std::string const& path, bool remove_lock);

} // namespace pegasus::daemon
