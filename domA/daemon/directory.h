// SPDX-License-Identifier: Apache-2.0
// The directory of pegasusd's sockets: made, locked against another daemon, cleaned at the end.
#pragma once

#include "domA/link/shared_memory.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

inline constexpr char guest_socket[] = "/guest.sock";
inline constexpr char control_socket[] = "/control.sock";

// Makes the directory (0755) if needed, its parent must exist, and takes it for one daemon: it is held as
// long as the descriptor is open, so a dead daemon holds nothing.
[[nodiscard]] tl::expected<link::UniqueFd, std::string> claim_directory(std::string const& path);
// A listening unix socket at `path`, in a claimed directory: what a dead daemon left there is replaced. Who
// may connect: `mode`, else what the umask leaves.
[[nodiscard]] tl::expected<link::UniqueFd, std::string> listen_at(std::string const& path, int type,
                                                                  std::optional<mode_t> mode = {});
// Removes what the two above made; the directory itself too when `whole`.
void clean_directory(std::string const& path, bool whole);

} // namespace pegasus::daemon
