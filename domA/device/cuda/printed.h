// SPDX-License-Identifier: Apache-2.0
// The output of kernels. The driver writes it to this process's standard output when it synchronizes; this is
// a file in memory, which is read and emptied here.
#pragma once

#include <cstddef>
#include <string>

namespace pegasus::cuda {

class Printed {
public:
  explicit Printed(int fd) : fd_(fd) {} // -1: no output is kept
  // Moves the output since the last call here. At most `limit` bytes are kept, the oldest; the rest is lost,
  // as in CUDA's own buffer.
  void fetch(std::size_t limit);
  [[nodiscard]] std::string take(std::size_t bytes);
  [[nodiscard]] bool pending() const { return !text_.empty(); }

private:
  int fd_;
  std::string text_;
};

} // namespace pegasus::cuda
