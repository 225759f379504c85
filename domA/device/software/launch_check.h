// SPDX-License-Identifier: Apache-2.0
// Whether a launch can be carried out at all, told before it takes the engine. Limits: compute capability 7.5
// (CUDA programming guide, technical specifications per compute capability).
#pragma once

#include "domA/device/device.h"

#include <cstdint>

namespace pegasus::software {

inline constexpr std::uint32_t threads_per_block_max = 1024;
inline constexpr device::Dim3 block_max{1024, 1024, 64};
inline constexpr device::Dim3 grid_max{0x7fffffff, 65535, 65535};
inline constexpr std::uint32_t shared_per_block = 48 * 1024; // without asking
inline constexpr std::uint32_t shared_per_block_optin =
    64 * 1024; // static and dynamic together, when asked for

// invalid_value: dimensions, parameters or dynamic shared memory; launch_out_of_resources: more threads than
// this function was compiled for; not_supported: cooperative (blocks run one after another and cannot wait
// for each other).
[[nodiscard]] device::Status check_launch(device::FunctionInfo const& function, device::Launch const& launch);

} // namespace pegasus::software
