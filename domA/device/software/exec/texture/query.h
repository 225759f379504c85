// SPDX-License-Identifier: Apache-2.0
// What txq and suq tell of a texture or a surface. PTX ISA 9.7.10 and 9.7.11; numbers of formats: section 5.3.
#pragma once

#include "domA/device/software/exec/texture/textures.h"
#include "domA/device/software/exec/texture_forms.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::software {

// 1 for a dimension that it does not have. A level that is not there has no texels. `sampling`: nullptr for a surface.
[[nodiscard]] std::uint32_t answer(TextureQuery, TexelStore const&, device::Sampling const* sampling,
                                   std::size_t level);

} // namespace pegasus::software
