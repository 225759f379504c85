// SPDX-License-Identifier: Apache-2.0
// The directory of pegasusd's sockets: made, locked against another daemon, cleaned at the end.
#pragma once

#include "domA/guests/shared_memory.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

inline constexpr char guest_socket[] = "/guest.sock";
inline constexpr char control_socket[] = "/control.sock";
inline constexpr char status_socket[] = "/status.sock";

// Makes the directory (0755) if needed, its parent must exist, and takes it for one daemon: it is held as
// long as the descriptor is open, so a dead daemon holds nothing. A directory that is there must be ours or
// root's, no symbolic link, and nobody else may write to it: he could put his own sockets there. `group`: may
// reach what is in it. The error is a message.
[[nodiscard]] tl::expected<guests::UniqueFd, std::string> claim_directory(std::string const& path,
                                                                          std::optional<gid_t> group = {});

struct SocketAccess {         // who may connect: whoever may write to the socket's file
  std::optional<mode_t> mode; // else what the umask leaves
  std::optional<gid_t> group; // of the file, else as the kernel makes it
};
// A listening unix socket at `path`, in a claimed directory: what a dead daemon left there is replaced. Its
// file has the mode from the beginning. Sets the process's umask for a moment: for one thread only.
[[nodiscard]] tl::expected<guests::UniqueFd, std::string> listen_at(std::string const& path, int type,
                                                                    SocketAccess const& access = {});
// Removes what the two above made; the directory itself too when `whole`.
void clean_directory(std::string const& path, bool whole);

} // namespace pegasus::daemon
