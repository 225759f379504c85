// SPDX-License-Identifier: Apache-2.0
#include "sim/report/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace pegasus::sim {
namespace {

tl::unexpected<std::string> cannot_write(std::string const& name) {
  return tl::unexpected(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
}

} // namespace

Written write_file(std::string const& path, std::string const& text) {
  std::ofstream file(path, std::ios::binary);
  if (file) file << text << std::flush;
  if (!file) return cannot_write(path);
  return {};
}

Written write_output(std::string const& text) {
  bool const all = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!all || std::fflush(stdout) != 0) return cannot_write("to standard output");
  return {};
}

} // namespace pegasus::sim
