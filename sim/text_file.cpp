// SPDX-License-Identifier: Apache-2.0
#include "sim/text_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace pegasus::sim {

tl::expected<std::string, std::string> read_file(std::string const& path) {
  std::ifstream file(path);
  file.peek();
  if (!file.is_open() || file.bad()) // as of a directory
    return tl::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace pegasus::sim
