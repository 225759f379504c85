// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pegasus::sim::testing {

// Tests of many scenarios take a few of them: with sanitizers code is ten times slower, and the same.
#ifdef PEGASUS_FEWER_SEEDS
inline constexpr bool fewer_seeds = true;
#else
inline constexpr bool fewer_seeds = false;
#endif

} // namespace pegasus::sim::testing
