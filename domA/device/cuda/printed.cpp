// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/printed.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace pegasus::cuda {

void Printed::fetch(std::size_t limit) {
  if (fd_ < 0) return;
  std::fflush(stdout); // the driver prints through it
  off_t const bytes = lseek(fd_, 0, SEEK_END);
  if (bytes <= 0) return;
  std::size_t const room = limit - std::min(limit, text_.size());
  std::string more(std::min(room, static_cast<std::size_t>(bytes)), '\0');
  ssize_t const got = pread(fd_, more.data(), more.size(), 0);
  more.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  text_ += more;
  if (ftruncate(fd_, 0) == 0) lseek(fd_, 0, SEEK_SET);
}

std::string Printed::take(std::size_t bytes) {
  std::string taken = text_.substr(0, bytes);
  text_.erase(0, taken.size());
  return taken;
}

} // namespace pegasus::cuda
