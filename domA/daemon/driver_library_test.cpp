// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/driver_library.h"

#include <catch2/catch.hpp>
#include <fstream>

using namespace pegasus::daemon;
namespace files = std::filesystem;

namespace {

// A directory that stands for the root of a machine.
struct Root {
  Root() {
    std::string name = files::temp_directory_path() / "pegasus-root-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Root() { files::remove_all(path); }
  [[nodiscard]] std::string add(std::string const& file) const {
    files::create_directories(files::path(path + file).parent_path());
    std::ofstream(path + file) << "a library";
    return path + file;
  }
  [[nodiscard]] std::vector<std::string> candidates(std::string_view library_path,
                                                    files::path const& ours = {}) const {
    return driver_candidates("libcuda.so.1", library_path, ours, path);
  }
  std::string path;
};

} // namespace

TEST_CASE("a driver that is named by its path is not looked for elsewhere") {
  Root const root;
  (void)root.add("/usr/local/nvidia/lib64/libcuda.so.1");
  CHECK(driver_candidates("/opt/libcuda.so.1", "/usr/local/nvidia/lib64", {}, root.path) ==
        std::vector<std::string>{"/opt/libcuda.so.1"});
}

TEST_CASE(
    "the driver is looked for in LD_LIBRARY_PATH, by its name, and where images keep it, in this order") {
  Root const root;
  CHECK(root.candidates("") == std::vector<std::string>{"libcuda.so.1"});
  std::string const usual = root.add("/usr/local/nvidia/lib64/libcuda.so.1");
  std::string const listed = root.add("/opt/driver/libcuda.so.1");
  CHECK(root.candidates("/nowhere:/opt/driver:") == std::vector<std::string>{listed, "libcuda.so.1", usual});
  CHECK(root.candidates("relative:::") == std::vector<std::string>{"libcuda.so.1", usual});
}

TEST_CASE("Pegasus' own library is not taken for the driver") {
  Root const root;
  std::string const ours = root.add("/opt/pegasus/lib/libcuda.so.1");
  CHECK(root.candidates("/opt/pegasus/lib", ours) == std::vector<std::string>{"libcuda.so.1"});
}

TEST_CASE("a GPU is known by its device nodes") {
  Root const root;
  CHECK_FALSE(gpu_node(root.path));
  (void)root.add("/dev/nvidia0");
  CHECK(gpu_node(root.path) == "/dev/nvidia0");
}
