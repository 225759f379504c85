// SPDX-License-Identifier: Apache-2.0
// Indices into Profile::attribute under CUDA's numbers (CU_DEVICE_ATTRIBUTE_*), for code that is
// built without the CUDA Toolkit. device/cuda/profile.cpp compares them with cuda.h.
#pragma once

#include <cstddef>

namespace pegasus::device::attribute {

inline constexpr std::size_t clock_khz = 13;
inline constexpr std::size_t multiprocessors = 16;
inline constexpr std::size_t can_map_host_memory = 19;
inline constexpr std::size_t pci_bus = 33;
inline constexpr std::size_t pci_device = 34;
inline constexpr std::size_t threads_per_multiprocessor = 39; // resident at a time
inline constexpr std::size_t pci_domain = 50;
inline constexpr std::size_t compute_capability_major = 75;
inline constexpr std::size_t compute_capability_minor = 76;
inline constexpr std::size_t managed_memory = 83;
inline constexpr std::size_t concurrent_managed_access = 89;

} // namespace pegasus::device::attribute
