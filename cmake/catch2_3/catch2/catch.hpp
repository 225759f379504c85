// SPDX-License-Identifier: Apache-2.0
// The tests are written for Catch2 2, which Debian 12 has. Where there is Catch2 3 (Debian 13), this is their header.
#pragma once

#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace Catch {

using Matchers::Equals;
using Matchers::StartsWith;

inline auto Contains(std::string const& part) { return Matchers::ContainsSubstring(part); }

} // namespace Catch
