// SPDX-License-Identifier: Apache-2.0
// A private pegasusd in a temporary directory: no other user can reach it, and it ends with us.
#pragma once

#include "control/client/address.h"
#include "ctl/failure.h"
#include "ctl/process/child.h"
#include "ctl/process/installation.h"
#include "ctl/process/signal_watch.h"
#include "ctl/process/temporary_directory.h"

namespace pegasus::ctl {

// pegasusd's options of these names; what is empty is left to its own default.
struct PrivateDaemonOptions {
  std::string policy{};
  std::string accelerator{};
  std::string compute_capability{};
  std::vector<std::string> policy_plugins{};

  bool operator==(PrivateDaemonOptions const&) const = default;
};

class PrivateDaemon {
public:
  // Returns when the daemon listens. Its messages go to our standard error.
  [[nodiscard]] static Result<PrivateDaemon> start(Installation const& installation,
                                                   PrivateDaemonOptions const& options, SignalWatch& signals);

  PrivateDaemon(PrivateDaemon&&) noexcept = default;
  PrivateDaemon& operator=(PrivateDaemon&&) = delete;
  ~PrivateDaemon(); // stops it, removes the directory

  [[nodiscard]] control::Address address() const { return control::address_of(directory_.path()); }
  [[nodiscard]] std::string const& directory() const { return directory_.path(); }
  // A sentence if it has ended without being asked to.
  [[nodiscard]] std::optional<std::string> died();

private:
  PrivateDaemon(TemporaryDirectory directory, Child process)
      : directory_(std::move(directory)), process_(std::move(process)) {}

  TemporaryDirectory directory_; // removed last
  Child process_;
};

} // namespace pegasus::ctl
