// SPDX-License-Identifier: Apache-2.0
// What a run of the suite tries: every policy with every seed, unless the environment says less. What a failure
// prints repeats it by the same variables (README.md).
#pragma once

#include "policies/registry.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::conformance {

// PEGASUS_POLICY_PLUGIN=FILE: that of the plug-in; PEGASUS_POLICY=NAME: that one; else all.
[[nodiscard]] std::vector<policies::Entry const*> chosen_policies();
// PEGASUS_SEED=N: that one; else 0 to `usual` - 1.
[[nodiscard]] std::vector<std::uint64_t> chosen_seeds(std::uint64_t usual);
// PEGASUS_STEPS=N: so many; else the usual number.
[[nodiscard]] int chosen_steps(int usual);

// "policy rr breaks: RULE", where it did, and the command that repeats this test case up to that step.
// Steps count from 1.
[[nodiscard]] std::string broken(policies::Entry const& entry, std::string_view rule, std::uint64_t seed,
                                 int step);

[[nodiscard]] std::string milliseconds(policies::Nanos time); // "1.5 ms"

} // namespace pegasus::conformance
