// SPDX-License-Identifier: Apache-2.0
// The generic address space of one task. The value of a generic address determines its state space (PTX ISA
// 6.4.1 "Generic Addressing"). The windows are far apart, so that an overrun of one never reaches another.
#pragma once

#include <cstdint>

namespace pegasus::software {

// Memory of the host that the task's program shares is below all of these, at addresses that the program can have, too.
// Global memory, module variables, constants and the device heap.
inline constexpr std::uint64_t global_window = 0x7000'0000'0000;
inline constexpr std::uint64_t global_window_bytes = 0x0800'0000'0000;
// Shared memory of the running block: address in the .shared space + shared_window.
inline constexpr std::uint64_t shared_window = 0x6000'0000'0000;
// Local memory of the running thread: address in the .local space + local_window.
inline constexpr std::uint64_t local_window = 0x6100'0000'0000;
// Kernel parameters (read only).
inline constexpr std::uint64_t param_window = 0x6200'0000'0000;
// Function addresses: window + 16 * index. Never readable.
inline constexpr std::uint64_t code_window = 0x6300'0000'0000;
inline constexpr std::uint64_t window_bytes = 0x0010'0000'0000;

} // namespace pegasus::software
