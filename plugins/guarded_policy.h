// SPDX-License-Identifier: Apache-2.0
// A policy that this program does not know: what it throws, whatever that is, is reported with the policy's name.
#pragma once

#include "policies/registry.h"

#include <string>
#include <tl/expected.hpp>

namespace pegasus::plugins {

// Is told "policy las threw in decide: ...", and does not return.
using Failed = void (*)(std::string const& what);

[[noreturn]] void throw_runtime_error(std::string const& what);

// Adds the entry to the table of policies, with a `make` whose policies report to `failed`.
[[nodiscard]] tl::expected<policies::Entry const*, std::string> add_guarded(policies::Entry const& entry,
                                                                            Failed failed);

} // namespace pegasus::plugins
