// SPDX-License-Identifier: Apache-2.0
// The device nodes that one GPU needs, from NVIDIA's kernel driver in /proc/driver/nvidia/gpus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::worker {

struct FileSystem { // where to look
  std::string proc = "/proc";
  std::string dev = "/dev";
};

// The nodes of the GPU at this PCI address ("0000:1b:00.0"): its own and those that all GPUs share. If its
// number cannot be found: the nodes of all GPUs.
[[nodiscard]] std::vector<std::string> gpu_nodes(std::string_view pci, FileSystem const& where = {});

struct NodeAccess {
  bool everybody = false;  // may open all of them
  std::uint32_t group = 0; // whose members may open what not everybody may; 0: there is none
};
// Of nodes, not the directories among them. Of no node: nobody.
[[nodiscard]] NodeAccess access_to(std::vector<std::string> const& nodes);

} // namespace pegasus::worker
