// SPDX-License-Identifier: Apache-2.0
// Instructions on textures and surfaces, and those that they name.
#pragma once

#include "domA/device/software/exec/texture/textures.h"
#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

void write_texture_operation(PtxWriter&);

// Bytes that no other code of a program may name.
constexpr unsigned texel_bytes = 2048;
// The textures and surfaces that the operations name, with texels in texel_bytes bytes at `at`.
void add_textures(software::Textures&, device::Address at);

} // namespace pegasus::fuzz
