// SPDX-License-Identifier: Apache-2.0
// Loads a policy from a shared object (policies/plugin.h), before a program starts anything.
#pragma once

#include "plugins/guarded_policy.h"
#include "policies/registry.h"

#include <string>
#include <tl/expected.hpp>

namespace pegasus::plugins {

// Whose file may be loaded: its code has all rights of this program.
enum class Trust {
  any,         // the caller names a file of his own for a program of his own
  us_and_root, // a file that only the process's user or root can change
  root,        // a file that only root can change or replace: the directories above it too
};

// The policy's entry, which is now in the table. The error is a sentence: of the file, or of the policy in it.
[[nodiscard]] tl::expected<policies::Entry const*, std::string>
load_policy(std::string const& file, Trust trust, Failed failed = throw_runtime_error);

} // namespace pegasus::plugins
