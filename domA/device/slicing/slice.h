// SPDX-License-Identifier: Apache-2.0
// Kernel slicing (FairGV 3.3.2 and 5.5.2, which takes it from GPES): a launch that would keep a GPU for long
// is split, by thread blocks, into launches of parts of its grid, between which others can have the GPU. A
// part is a launch with a smaller grid, so a block in it would take itself for another one; the kernel is
// rewritten to be told which part it runs in. This is done on PTX, which every program carries and the driver
// compiles: no source, and nothing for the program to know.
//
// What is rewritten:
// * The kernel gets one more parameter, a Piece. %ctaid gives the hardware's %ctaid + Piece::offset, %nctaid
//   gives Piece::grid.
// * A variable of the module (.global) must be the one of the module as it was loaded, which the program's
//   other kernels and its copies use: its name is replaced by its address there. A string that the compiler
//   made (a printf's format) and that has no address to ask for is copied: nobody can write it, and the
//   language does not say which of equal strings is which.
// * Other kernels, and functions that this one cannot reach, are left out, so that the driver compiles
// little;
//   debug information (.loc, .file, .section, and `debug` of .target) too.
//
// What is refused, because it depends on the launch as a whole, or on code and data of the module as loaded:
// * Cooperative launches' grid barriers (%envreg), %gridid, clusters, dependent launches, launching kernels.
//   Special registers and external functions are known to be harmless, or refused.
// * Functions, other than the kernel, that read %ctaid or %nctaid: they have no Piece.
// * Calls through pointers, and taking a function's address: a pointer in memory leads to the functions of
// the
//   module as loaded, with stacks and registers that were not reckoned with here.
// * .const variables, textures, samplers, surfaces: they have no address that this text could use. Variables
//   inside functions (.global in a body): they have no name to ask for.
// * What would have more parameters than a kernel can have.
//
// What cannot be seen in the text: a kernel whose blocks wait for blocks with higher numbers. CUDA promises
// such a kernel nothing unless it is launched cooperatively; whoever slices must leave cooperative launches
// whole. Blocks that wait for lower numbers (decoupled look-back) are safe if pieces are run in Cut's order.
// Messages of the device that name a block (assertions) name its index in the piece.
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
  std::string text;                   // a whole module: its only entry is the kernel, of the same name
  std::uint32_t parameter_offset = 0; // where the Piece stands in the packed parameters, behind the others
};

// The address of a module variable in the module as loaded; nullopt: it has none of that name. Of modules
// linked from several texts: the variable that this text's name means.
using Resolve = std::function<std::optional<std::uint64_t>(std::string_view variable)>;

// Any bytes are safe as text; time grows with its length (times a logarithm). The error is why this kernel
// must be launched whole: one clause, for a log.
[[nodiscard]] tl::expected<Kernel, std::string> slice(std::string_view ptx_text, std::string_view kernel,
                                                      Resolve const& resolve);

} // namespace pegasus::slicing
