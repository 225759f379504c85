// SPDX-License-Identifier: Apache-2.0
// Kernel slicing (FairGV 3.3.2 and 5.5.2, which takes it from GPES). A launch that would occupy a GPU for
// long is split, by thread blocks, into launches of parts of its grid; between them other workers can use the
// GPU. A part is a launch with a smaller grid, so its blocks would see wrong indices: the kernel is rewritten
// to be told which part it runs in. This works on PTX, which every program contains and the driver compiles.
// It needs no source, and the program does not notice.
//
// What is rewritten:
// * The kernel gets one more parameter, a Piece. %ctaid gives the hardware's %ctaid + Piece::offset, %nctaid
//   gives Piece::grid.
// * A variable of the module (.global) must be the one of the module as it was loaded, which the program's
//   other kernels and its copies use: its name is replaced by its address there. A string that the compiler
//   made (a printf's format) and that has no address in the loaded module is copied: no code can write to it,
//   and the language does not define the identity of equal strings.
// * Other kernels, functions that this kernel cannot reach, and debug information (.loc, .file, .section, and
//   `debug` of .target) are left out, so that the driver compiles little.
//
// What is refused, because it depends on the launch as a whole, or on code and data of the module as loaded:
// * Cooperative launches' grid barriers (%envreg), %gridid, clusters, dependent launches, launching kernels.
//   Special registers and external functions are refused unless they are known to be harmless.
// * Functions, other than the kernel, that read %ctaid or %nctaid: they have no Piece.
// * Calls through pointers, and taking a function's address: a pointer in memory leads to the functions of
//   the module as loaded, whose stacks and registers are not accounted for here.
// * .const variables, textures, samplers, surfaces: they have no address that this text could use. Variables
//   inside functions (.global in a body): they have no name that can be looked up.
// * Kernels that would have more parameters than a kernel can have.
//
// What the text does not show: a kernel whose blocks wait for blocks with higher numbers. CUDA guarantees
// such a kernel nothing unless it is launched cooperatively; the caller must not slice cooperative launches.
// Blocks that wait for lower numbers (decoupled look-back) are safe if pieces run in the order of GridPieces.
// Messages of the device that name a block (assertions) give its index in the piece.
#pragma once

#include "domA/device/slicing/piece.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::slicing {

struct Kernel {
  std::string text;                   // a whole module whose only entry is the kernel, with the same name
  std::uint32_t parameter_offset = 0; // offset of the Piece in the packed parameters, behind the others
};

// The address of a module variable in the module as loaded; nullopt if it has none of that name. For modules
// linked from several texts: the variable that the name means in this text.
using Resolve = std::function<std::optional<std::uint64_t>(std::string_view variable)>;

// Safe for any bytes as text; the time grows with its length (times a logarithm). The error is the reason why
// this kernel must be launched whole: one clause, for a log.
[[nodiscard]] tl::expected<Kernel, std::string> slice(std::string_view ptx_text, std::string_view kernel,
                                                      Resolve const& resolve);

} // namespace pegasus::slicing
