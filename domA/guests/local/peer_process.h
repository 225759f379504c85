// SPDX-License-Identifier: Apache-2.0
// What this machine reports about a process that connected to one of our sockets.
#pragma once

#include "domA/guests/guest_link.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::local {

// The process that called connect(2), as the kernel recorded it then. The error is a message.
[[nodiscard]] tl::expected<guests::Peer, std::string> peer_of(int socket);

// The text of its /proc/PID/cgroup, at most 64 KiB. The process is held meanwhile: it is an error if it has
// ended, because another process may have its number. The error is a message.
//
// Linux 6.5 and later report which process connected (SO_PEERPIDFD). Before, a process that ended between its
// connect(2) and this look may have been followed by another with its number.
[[nodiscard]] tl::expected<std::string, std::string> cgroups_of(int socket, guests::Peer const& peer);

// The user's login name in a file in passwd(5)'s format; nullopt if the file has none. The name service is
// not used: its answer may come from a network and would block the thread that serves all guests.
[[nodiscard]] std::optional<std::string> login_name(uid_t user, std::string const& file = "/etc/passwd");

} // namespace pegasus::local
