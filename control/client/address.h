// SPDX-License-Identifier: Apache-2.0
// The sockets of a pegasusd, all in one directory: control.sock for operators, guest.sock for programs,
// status.sock for users with read-only access.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::control {

struct Address {
  std::string control;
  std::string guest;
  std::string status;

  friend bool operator==(Address const&, Address const&) = default;
};

using Getenv = std::function<char const*(char const*)>;

struct Addresses {
  std::vector<Address> candidates; // in the order to try; never empty
  bool chosen = false;             // the user named it: there is nothing else to try
};

// The address of a daemon named by its directory or by its control socket.
[[nodiscard]] Address address_of(std::string const& directory_or_socket);

// The directory or the control socket that the user named, else $PEGASUS_CONTROL, else the default places of pegasusd: the user's, then the system's.
[[nodiscard]] Addresses find_addresses(std::optional<std::string> const& named, Getenv const& getenv);

} // namespace pegasus::control
