// SPDX-License-Identifier: Apache-2.0
// For tests: the programs that nvcc builds for them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace pegasus::ctl::test {

inline std::string sample(std::string const& name) { return std::string(PEGASUS_CTL_SAMPLES) + "/" + name; }

inline std::string contents(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace pegasus::ctl::test
