// SPDX-License-Identifier: Apache-2.0
// A guest program's environment: our libraries first, and the socket of its daemon. Pure, except
// for the first function.
#pragma once

#include "ctl/process/installation.h"

#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ctl {

[[nodiscard]] std::vector<std::string> current_environment(); // "NAME=value"

struct GuestOf {
  std::string socket; // guest.sock
  std::string domain; // empty: the program names none
};

// `base` with PEGASUS_SOCKET and PEGASUS_DOMAIN set, and with LD_PRELOAD and LD_LIBRARY_PATH beginning with
// our libraries. LD_PRELOAD is needed because a program's RPATH is searched before LD_LIBRARY_PATH (ld.so(8))
// and may name NVIDIA's libraries.
[[nodiscard]] std::vector<std::string>
guest_environment(std::vector<std::string> base, Installation const& installation, GuestOf const& guest);

} // namespace pegasus::ctl
