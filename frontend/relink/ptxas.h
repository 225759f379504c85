// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler, which programs start for machine code: nvcc does for pycuda, Triton does itself. What it writes for
// the GPU keeps the PTX that it was made of, in section .pegasus.ptx, so that the software accelerator can execute it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace pegasus::relink {

struct PtxasCommand {
  std::string input, output; // files
};

// Nothing if the program is not ptxas, or does not make one file of one.
[[nodiscard]] std::optional<PtxasCommand> ptxas_command(std::vector<std::string> const& words);

// What has to be added to the end of a cubin, and the header that its first bytes become.
struct Addition {
  std::string bytes;
  std::string header;
};
// Nothing for files that the linker still links, and for those that have the section or are damaged.
[[nodiscard]] std::optional<Addition> ptx_section(std::string_view cubin, std::string_view ptx);

// A process that is ptxas, from its start to its end.
class Ptxas {
public:
  // Nothing if it is another program, or where there is no /proc.
  [[nodiscard]] static std::optional<Ptxas> of_this_process();
  // At its end. Does nothing if it wrote nothing.
  void keep_ptx() const;

private:
  explicit Ptxas(PtxasCommand command);

  PtxasCommand command_;
  struct stat output_before_ = {}; // nothing in it: there was none
};

} // namespace pegasus::relink
