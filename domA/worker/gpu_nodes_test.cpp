// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/gpu_nodes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace pegasus::worker;

namespace {

// A machine with three GPUs, in files.
struct Machine {
  std::filesystem::path root = [] {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-gpu-nodes-XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  FileSystem where{root / "proc", root / "dev"};

  Machine() {
    std::filesystem::create_directories(root / "dev/nvidia-caps");
    for (char const* const name :
         {"nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "nvidia-modeset", "null"})
      std::ofstream(root / "dev" / name) << "";
  }
  ~Machine() { std::filesystem::remove_all(root); }
  Machine(Machine const&) = delete;
  Machine& operator=(Machine const&) = delete;

  void says(char const* pci, char const* information) const {
    auto const directory = root / "proc/driver/nvidia/gpus" / pci;
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "information") << information;
  }
  [[nodiscard]] std::vector<std::string> nodes(char const* pci) const {
    std::vector<std::string> names;
    for (std::string const& node : gpu_nodes(pci, where))
      names.push_back(std::filesystem::path(node).filename().string());
    std::ranges::sort(names);
    return names;
  }
};

std::vector<std::string> const all{"nvidia-caps", "nvidia-uvm", "nvidia0",
                                   "nvidia1",     "nvidia10",   "nvidiactl"};

} // namespace

TEST_CASE("a GPU's own node and the shared ones") {
  Machine machine;
  machine.says("0000:1b:00.0",
               "Model: \t\t NVIDIA X\nIRQ:   \t\t 18\nDevice Minor: \t 1\nGPU Excluded:\t No\n");
  CHECK(machine.nodes("0000:1b:00.0") ==
        std::vector<std::string>{"nvidia-caps", "nvidia-uvm", "nvidia1", "nvidiactl"});
  machine.says("0000:1c:00.0", "Device Minor: \t 10\n");
  CHECK(machine.nodes("0000:1c:00.0") ==
        std::vector<std::string>{"nvidia-caps", "nvidia-uvm", "nvidia10", "nvidiactl"});
}

TEST_CASE("without its number, all") {
  Machine machine;
  CHECK(machine.nodes("") == all);
  CHECK(machine.nodes("0000:1b:00.0") == all);
  machine.says("0000:1b:00.0", "Device Minor: \t none\n");
  CHECK(machine.nodes("0000:1b:00.0") == all);
  machine.says("0000:1c:00.0", "Device Minor: \t unknown 1\n");
  CHECK(machine.nodes("0000:1c:00.0") == all);
}

TEST_CASE("who may open the nodes") {
  Machine machine;
  CHECK_FALSE(access_to({}).everybody);
  std::vector<std::string> const nodes = gpu_nodes("", machine.where);
  using enum std::filesystem::perms;
  auto const open_to = [&](std::filesystem::perms others, std::vector<std::string> const& of) {
    for (std::string const& node : of)
      if (!std::filesystem::is_directory(node))
        std::filesystem::permissions(node, owner_read | owner_write | others);
  };
  open_to(group_read | group_write | others_read | others_write, nodes);
  CHECK(access_to(nodes).everybody);
  CHECK(access_to(nodes).group == 0);
  open_to(group_read | group_write, {(machine.root / "dev/nvidia1").string()});
  CHECK_FALSE(access_to(nodes).everybody);
  CHECK(access_to(nodes).group == getegid());
  open_to(group_read, nodes);
  CHECK(access_to(nodes).group == 0);
}
