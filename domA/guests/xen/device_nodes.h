// SPDX-License-Identifier: Apache-2.0
// The nodes of a guest's accelerator as a patched toolstack writes them.
#pragma once

#include "control/settings.h"
#include "domA/guests/xen/store.h"

#include <cstdint>
#include <string>

namespace pegasus::xen {

[[nodiscard]] std::string front_directory(std::uint32_t guest);                   // of its device 0
[[nodiscard]] std::string back_directory(std::uint32_t own, std::uint32_t guest); // in the domain `own`

[[nodiscard]] bool has_device(Store& store, std::uint32_t own, std::uint32_t guest);
// Makes device 0, served by the domain `own`. Returns false if xenstore refuses.
[[nodiscard]] bool make_device(Store& store, std::uint32_t own, std::uint32_t guest,
                               control::Settings const& settings);

} // namespace pegasus::xen
