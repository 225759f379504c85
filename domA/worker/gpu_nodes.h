// SPDX-License-Identifier: Apache-2.0
// The device nodes that one GPU needs, by what NVIDIA's kernel driver says in /proc/driver/nvidia/gpus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pegasus::worker {

struct FileSystem { // where it is looked for
  std::string proc = "/proc";
  std::string dev = "/dev";
};

// Of the GPU at this PCI address ("0000:1b:00.0"): its own node and those that all GPUs share. When its
// number cannot be found out: the nodes of all GPUs.
[[nodiscard]] std::vector<std::string> gpu_nodes(std::string_view pci, FileSystem const& where = {});

} // namespace pegasus::worker
