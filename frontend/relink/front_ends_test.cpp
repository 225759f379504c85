// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/front_ends.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using pegasus::relink::FrontEnds;

namespace {

struct Directories {
  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("front_ends_test." + std::to_string(getpid()));
  std::string ours = root / "ours", theirs = root / "theirs", others = root / "others";

  Directories() {
    for (std::string const& directory : {ours, theirs, others}) {
      std::filesystem::create_directories(directory);
      std::ofstream(directory + "/libnvrtc.so.13");
    }
    std::ofstream(theirs + "/libnvrtc.so.99");
    std::ofstream(theirs + "/libc.so.6");
  }
  ~Directories() { std::filesystem::remove_all(root); }
};

} // namespace

TEST_CASE("NVIDIA's library is behind ours") {
  Directories const in;
  FrontEnds front_ends(in.ours);
  CHECK(front_ends.search("libnvrtc.so.13.of-nvidia") == std::string("libnvrtc.so.13.of-nvidia"));
  CHECK(front_ends.search("libnvrtc.so.13") == std::string("libnvrtc.so.13"));
  CHECK(front_ends.search((in.theirs + "/libnvrtc.so.13").c_str()) == in.ours + "/libnvrtc.so.13");
  std::string const behind = front_ends.search("libnvrtc.so.13.of-nvidia");
  CHECK(behind == in.theirs + "/./libnvrtc.so.13");
  CHECK(front_ends.search(behind.c_str()) == behind);
}

TEST_CASE("the library that was found last is loaded, and stays") {
  Directories const in;
  FrontEnds front_ends(in.ours);
  front_ends.search((in.others + "/libnvrtc.so.13").c_str()); // for example RTLD_NOLOAD
  front_ends.search((in.theirs + "/libnvrtc.so.13").c_str());
  CHECK(front_ends.search("libnvrtc.so.13.of-nvidia") == in.theirs + "/./libnvrtc.so.13");
  CHECK(front_ends.search((in.others + "/libnvrtc.so.13").c_str()) == in.ours + "/libnvrtc.so.13");
  CHECK(front_ends.search("libnvrtc.so.13.of-nvidia") == in.theirs + "/./libnvrtc.so.13");
}

TEST_CASE("other files are themselves") {
  Directories const in;
  FrontEnds front_ends(in.ours);
  for (std::string const& path : {in.theirs + "/libnvrtc.so.99", in.theirs + "/libc.so.6",
                                  in.theirs + "/none/libnvrtc.so.13", in.ours + "/libnvrtc.so.13"})
    CHECK(front_ends.search(path.c_str()) == path);
}
