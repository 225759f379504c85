// SPDX-License-Identifier: Apache-2.0
// Libraries of NVIDIA's for which ours are loaded, with NVIDIA's behind them (frontend/jit). They are known by their names
// alone, because a program may bring them from anywhere.
#pragma once

#include <map>
#include <string>

namespace pegasus::relink {

class FrontEnds {
public:
  // `directory`: where ours are.
  explicit FrontEnds(std::string directory) : directory_(std::move(directory)) {}

  // For a name with which the dynamic linker searches, as la_objsearch(): the file to open instead, or the name itself.
  // The result lives as long as this.
  char const* search(char const* name);

private:
  struct Behind {
    std::string front;
    std::string nvidia; // spelled differently from what the program asked for
    bool is_loaded = false;
  };

  std::string directory_;
  std::map<std::string, Behind, std::less<>> libraries_; // by file name
};

} // namespace pegasus::relink
