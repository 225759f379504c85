// SPDX-License-Identifier: Apache-2.0
// The textures and surfaces that programs of ptx_texture.h name.
#pragma once

#include "domA/device/software/exec/texture/textures.h"

namespace pegasus::fuzz {

// Bytes that no other code of a program may name.
constexpr unsigned texel_bytes = 2048;
// With texels in texel_bytes bytes at `at`.
void add_textures(software::Textures&, device::Address at);

} // namespace pegasus::fuzz
