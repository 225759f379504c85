// SPDX-License-Identifier: Apache-2.0
// The directory of pegasusd's sockets: made, checked for another daemon, cleaned at the end.
#pragma once

#include "domA/link/shared_memory.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

// A listening unix socket at `path`. A socket left by a dead daemon is replaced; a living daemon's is
// refused. Who may connect: `mode`, else what the umask leaves.
[[nodiscard]] tl::expected<link::UniqueFd, std::string> listen_at(std::string const& path, int type,
                                                                  std::optional<mode_t> mode = {});
// Makes the directory (0755) if needed; its parent must exist.
[[nodiscard]] tl::expected<void, std::string> make_directory(std::string const& path);

} // namespace pegasus::daemon
