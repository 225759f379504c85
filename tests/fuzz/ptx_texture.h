// SPDX-License-Identifier: Apache-2.0
// Instructions on textures and surfaces.
#pragma once

#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

// The handles that they name mostly: textures from 1 on, then two surfaces. What is written is not read: the order of
// threads would matter.
inline constexpr unsigned named_textures = 8, read_surface = 9, written_surface = 10;

void write_texture_operation(PtxWriter&);

} // namespace pegasus::fuzz
